// Every page reads and works without this file.
const root = document.documentElement;

// Theme without a reload. The server keeps it in a cookie and renders data-theme.
document.addEventListener('submit', async e => {
  if (!e.target.matches('.theme-switch') || !e.submitter) return;
  e.preventDefault();
  const theme = e.submitter.value, body = new URLSearchParams(new FormData(e.target, e.submitter));
  root.dataset.theme = theme;
  for (const b of e.target.querySelectorAll('button')) b.setAttribute('aria-pressed', String(b.value === theme));
  try { await fetch(e.target.action, { method: 'POST', body, redirect: 'manual', keepalive: true }); } catch { /* shown now, not remembered */ }
});

// A form that was sent is not sent again until the page is shown anew, or the answer takes very long.
const sent = new WeakMap();
document.addEventListener('submit', e => {
  if (e.defaultPrevented || e.target.method !== 'post') return;
  if (Date.now() - (sent.get(e.target) ?? -Infinity) < 15000) { e.preventDefault(); return; }
  sent.set(e.target, Date.now());
  e.submitter?.setAttribute('aria-busy', 'true');
});
addEventListener('pageshow', () => {
  for (const f of document.forms) sent.delete(f);
  for (const b of document.querySelectorAll('[aria-busy]')) b.removeAttribute('aria-busy');
});

// Dialogs. A link with data-dialog goes to a page of its own when this file is missing.
document.addEventListener('click', e => {
  const link = e.target.closest('[data-dialog]'), opened = link && document.getElementById(link.dataset.dialog);
  if (opened && !e.metaKey && !e.ctrlKey && !e.shiftKey) { e.preventDefault(); opened.showModal(); }
  if ('command' in HTMLButtonElement.prototype) return; // browsers without invoker commands
  const b = e.target.closest('[commandfor]'), d = b && document.getElementById(b.getAttribute('commandfor'));
  if (d) b.getAttribute('command') === 'show-modal' ? d.showModal() : d.close();
});

document.addEventListener('click', async e => {
  const b = e.target.closest('[data-copy]'); if (!b) return;
  const from = document.querySelector(b.dataset.copy), label = b.querySelector('span');
  await navigator.clipboard.writeText('value' in from ? from.value : from.textContent);
  const was = label.textContent; label.textContent = 'Copied'; setTimeout(() => { label.textContent = was; }, 2000);
});

// After a form that must change, the list of what to change is the first thing read.
document.querySelector('[data-focus]')?.focus();

// A count near the limit of a text; the server has the last word.
document.addEventListener('input', e => {
  const max = Number(e.target.dataset?.max); if (!max) return;
  const used = [...e.target.value].length;
  let note = e.target.parentElement.querySelector('.count');
  if (!note) { note = document.createElement('p'); note.className = 'count'; note.setAttribute('role', 'status'); e.target.after(note); }
  note.toggleAttribute('data-over', used > max);
  note.textContent = used > max ? `${used - max} characters too many` : used > max * .9 ? `${max - used} characters left` : '';
});

// Escape closes a form that opened in place, unless something was typed into it.
document.addEventListener('keydown', e => {
  const form = e.key === 'Escape' && e.target.closest('.answer form'), typed = f => f.type !== 'hidden' && f.defaultValue !== undefined && f.value !== f.defaultValue;
  if (form && ![...form.elements].some(typed)) form.querySelector('.actions a[hx-get]')?.click();
});

// Keys: ? lists them, / searches, g and a letter goes to a page, j k move in the queue, a e r focus the
// decision buttons and n the note. Single keys can be switched off in the list, for speech input.
const keysOff = () => localStorage.getItem('keys') === 'off';
const keysBox = document.querySelector('[data-keys]');
if (keysBox) {
  keysBox.checked = !keysOff();
  keysBox.addEventListener('change', () => keysBox.checked ? localStorage.removeItem('keys') : localStorage.setItem('keys', 'off'));
}
// On the page of a search the arrows go through what was found, also from the field.
document.addEventListener('keydown', e => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], field = document.querySelector('.finder input'); if (!step || !field || !e.target.closest('.finder, .row')) return;
  const stops = [field, ...document.querySelectorAll('.page .row a')], to = stops[stops.indexOf(e.target) + step];
  if (to) { e.preventDefault(); to.focus(); }
});
let going = 0;
document.addEventListener('keydown', e => {
  if (keysOff() || e.metaKey || e.ctrlKey || e.altKey || e.target.closest('input, textarea, select, [contenteditable], dialog')) return;
  if (e.key === '?') { document.getElementById('keys')?.showModal(); return; }
  if (e.key === '/') {
    const fields = [...document.querySelectorAll('.finder input, .topsearch input, .toolbar input[type=search]')], search = fields.find(f => f.checkVisibility());
    if (search) { e.preventDefault(); search.focus(); search.select(); }
    return;
  }
  if (Date.now() - going < 1500) {
    going = 0;
    document.querySelector(`.sidebar a[data-go="${CSS.escape(e.key)}"]`)?.click();
    return;
  }
  if (e.key === 'g') { going = Date.now(); return; }
  const items = [...document.querySelectorAll('.queue-item')]; if (!items.length) return;
  const on = items.indexOf(document.activeElement), at = on < 0 ? items.findIndex(i => i.hasAttribute('aria-current')) : on;
  if (e.key === 'j') items[Math.min(at + 1, items.length - 1)].focus();
  if (e.key === 'k') items[Math.max(at - 1, 0)].focus();
  const to = document.querySelector(`.decision [data-key="${CSS.escape(e.key)}"]`); // focus, never submit: a decision needs its own key press
  if (to) { e.preventDefault(); to.focus(); }
});

// On a phone the bar that leads to the decision leaves once the decision is on screen.
const jump = document.querySelector('.jump'), there = jump?.querySelector('a')?.hash, decision = there && document.querySelector(there)?.closest('section, aside');
if (decision) new IntersectionObserver(([e]) => { jump.toggleAttribute('data-away', e.isIntersecting); }).observe(decision);

// Evidence: files are chosen, dropped or pasted into one list and sent one after the other, each with its progress.
// Without this file the same form sends them together.
const attachForm = e => e.target.closest?.('form[data-attach]'), filesOf = form => form.querySelector('[data-drop] input[multiple]');
const element = (name, text, more) => Object.assign(document.createElement(name), { textContent: text }, more);
const kB = n => n < 1e3 ? `${n} bytes` : n < 1e6 ? `${Math.round(n / 1e3)} kB` : `${(n / 1e6).toFixed(1)} MB`;
const lists = new WeakMap(); // form -> what is to be sent: {file, row, state, remove}
function keep(form, items) {
  const all = new DataTransfer();
  for (const i of items) all.items.add(i.file);
  filesOf(form).files = all.files;
  lists.set(form, items);
}
function tell(item, tone, text) {
  item.row.dataset.tone = tone; item.state.textContent = text;
  item.row.querySelector('progress')?.remove();
}
function addFiles(form, files) {
  const items = [...files].map(file => {
    const item = { file, row: element('li'), state: element('span', '', { className: 'state' }), remove: element('button', 'Remove', { type: 'button', className: 'btn' }) };
    Object.assign(item.remove.dataset, { variant: 'ghost', size: 'sm' });
    item.remove.append(element('span', ` ${file.name}`, { className: 'sr-only' }));
    item.remove.onclick = () => { item.row.remove(); keep(form, lists.get(form).filter(i => i !== item)); filesOf(form).focus(); };
    item.row.append(element('b', file.name), element('span', kB(file.size), { className: 'quiet' }), item.state, item.remove);
    if (file.size > Number(form.dataset.attach)) tell(item, 'bad', 'Larger than 50 MB, so it is not sent.');
    return item;
  });
  form.querySelector('[data-files]').append(...items.map(i => i.row));
  keep(form, [...lists.get(form) ?? [], ...items]);
}
document.addEventListener('change', e => {
  const form = attachForm(e); if (!form || e.target.type !== 'file') return;
  addFiles(form, e.target.files);
  if (e.target !== filesOf(form)) e.target.value = '';
});
for (const type of ['dragover', 'dragleave', 'drop', 'paste']) document.addEventListener(type, e => {
  const form = attachForm(e), data = e.dataTransfer ?? e.clipboardData; if (!form || !data?.types.includes('Files')) return;
  e.preventDefault();
  form.querySelector('[data-drop]').toggleAttribute('data-over', type === 'dragover');
  if (type === 'drop' || type === 'paste') addFiles(form, data.files);
});
const sendFile = (form, item) => new Promise(done => {
  const x = new XMLHttpRequest(), body = new FormData(form), bar = element('progress', '', { max: 1, value: 0 });
  bar.setAttribute('aria-label', `Sending ${item.file.name}`); tell(item, 'ink', 'Sending'); item.remove.hidden = true; item.row.append(bar);
  body.delete('file'); body.append('file', item.file);
  x.upload.onprogress = p => { bar.value = p.loaded / p.total; if (p.loaded === p.total) item.state.textContent = 'Being checked'; };
  x.onloadend = () => done({ status: x.status, detail: 'The connection broke, so it was not saved. Attach it again.', ...x.response });
  x.open('POST', form.action); x.responseType = 'json'; x.setRequestHeader('Accept', 'application/json'); x.send(body);
});
// What was typed into the other forms of a page stays when evidence was attached and the page is shown anew.
const typedAt = `typed ${location.pathname}`, typable = f => f?.id && f.name && !/^(hidden|file|password|submit|button|reset)$/.test(f.type);
function keepTyped(but) {
  const kept = {};
  for (const form of document.forms) if (form !== but && form.method === 'post') for (const f of form.elements) {
    if (typable(f) && (f.checked !== f.defaultChecked || f.defaultValue !== undefined && f.value !== f.defaultValue)) kept[f.id] = [f.value, f.checked ?? false];
  }
  try { sessionStorage.setItem(typedAt, JSON.stringify(kept)); } catch { /* it is typed again */ }
}
const typedBefore = sessionStorage.getItem(typedAt);
if (typedBefore) {
  sessionStorage.removeItem(typedAt);
  for (const [id, [value, checked]] of Object.entries(JSON.parse(typedBefore))) {
    const f = document.getElementById(id); if (!typable(f)) continue;
    if (f.type === 'checkbox' || f.type === 'radio') f.checked = checked; else f.value = value;
  }
}
let sending = false;
addEventListener('beforeunload', e => { if (sending) e.preventDefault(); });
document.addEventListener('submit', async e => {
  const form = attachForm(e); if (!form) return;
  if (!lists.has(form)) addFiles(form, filesOf(form).files); // the browser filled them in again
  const items = lists.get(form); if (!items.length) return;
  e.preventDefault(); if (sending) return;
  sending = true; e.submitter?.setAttribute('aria-busy', 'true');
  const left = []; let next = '', field = '';
  for (const item of items) {
    if (item.file.size > Number(form.dataset.attach) || field) { left.push(item); continue; } // a field must change first
    const answer = await sendFile(form, item);
    if (answer.status === 200) {
      next = answer.location;
      if (answer.flagged) form.dataset.flagged ||= next;
      tell(item, answer.flagged ? 'warn' : 'ok', answer.flagged ? 'Personal data found' : 'Attached');
      if (answer.flagged) item.state.replaceChildren(element('a', 'Personal data found', { href: answer.location, className: 'link' }));
    } else { left.push(item); if (answer.field !== 'file') field = answer.field ?? ''; tell(item, 'bad', answer.detail); item.remove.hidden = false; }
  }
  sending = false; e.submitter?.removeAttribute('aria-busy');
  if (left.length) { keep(form, left); form.elements[field]?.focus?.(); return; }
  const to = new URL(form.dataset.flagged || next, location.href), here = to.pathname === location.pathname && to.search === location.search;
  keepTyped(form);
  if (here) { location.hash = to.hash; location.reload(); } else location.assign(to);
}, true);

// While a page is open the server names what changed, and the counts of the navigation are asked for again; in the
// queue at once, with the list and where the open item stands, also each minute, because time left runs out by
// itself. What has the focus or was typed stays.
const nav = document.querySelector('[data-events]'), pane = document.querySelector('.split-list[data-fresh]'), standing = document.querySelector('[data-live="standing"]');
if (nav) {
  let stream, asking, again = false, minute, soon;
  const put = (old, fresh) => {
    if (!old || !fresh || old.innerHTML === fresh.innerHTML) return;
    const links = () => [...old.querySelectorAll('a')], at = links().indexOf(document.activeElement), href = links()[at]?.getAttribute('href');
    old.replaceChildren(...fresh.childNodes);
    if (at >= 0) (links().find(a => a.getAttribute('href') === href) ?? links()[Math.min(at, links().length - 1)])?.focus({ preventScroll: true });
  };
  const show = page => {
    if (pane) for (const part of ['.tabbar', '.scroll']) put(pane.querySelector(part), page.querySelector(part));
    for (const n of page.querySelectorAll('[data-count]')) for (const old of document.querySelectorAll(`.nav-count[data-count="${n.dataset.count}"]`)) {
      if (old.textContent.trim() !== n.textContent.trim()) old.replaceChildren(...n.textContent.trim() ? n.childNodes : []); // empty hides it
    }
    const news = page.querySelector('[data-live="standing"] > *');
    if (!standing || !news || standing.textContent.trim() === news.textContent.trim()) return;
    standing.replaceChildren(news);
    for (const buttons of document.querySelectorAll('.decision .buttons')) {
      if (!buttons.querySelector('.why.live')) buttons.append(element('p', 'Open it again before you decide: see the note at the top.', { className: 'why live', id: 'why-stale' }));
      for (const b of buttons.querySelectorAll('button')) { b.setAttribute('aria-disabled', 'true'); b.setAttribute('aria-describedby', 'why-stale'); }
    }
  };
  const ask = async () => {
    if (asking) { again = true; return; }
    asking = new AbortController();
    try {
      const url = new URL((pane ?? nav).dataset.fresh, location.href);
      for (const name of standing ? ['state', 'version', 'seen'] : []) url.searchParams.set(name, standing.dataset[name]);
      const answer = await fetch(url, { signal: asking.signal });
      if (answer.ok && !answer.redirected) show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    } catch { /* asked again when the stream is back */ }
    asking = undefined;
    if (again && stream) { again = false; ask(); }
  };
  const told = () => { if (pane) ask(); else soon ??= setTimeout(() => { soon = undefined; ask(); }, 1000 + 2000 * Math.random()); };
  const close = () => { stream?.close(); stream = undefined; clearInterval(minute); clearTimeout(soon); soon = undefined; asking?.abort(); };
  const open = () => {
    if (stream || document.hidden) return;
    stream = new EventSource(nav.dataset.events); // it knows what this page has seen, and tells when that is old
    stream.addEventListener('changed', told);
    stream.addEventListener('full', close);
    stream.addEventListener('error', e => { if (e.target.readyState === EventSource.CLOSED) { close(); setTimeout(look, 60000); } }); // an answer that is no stream
    if (pane) minute = setInterval(ask, 60000);
  };
  const look = () => { if (document.hidden) close(); else if (!stream) { open(); ask(); } };
  // Only windows that are looked at keep a connection, and no more than a few of them: browsers have six.
  document.addEventListener('visibilitychange', look);
  addEventListener('focus', look);
  addEventListener('pagehide', close);
  document.addEventListener('submit', e => { if (!e.defaultPrevented && e.target.method === 'post') close(); }); // what it changes is shown by the answer
  addEventListener('pageshow', e => { open(); if (e.persisted) ask(); });
  if (standing) document.addEventListener('submit', e => {
    if (e.submitter?.getAttribute('aria-disabled') !== 'true') return;
    e.preventDefault(); e.stopImmediatePropagation();
    standing.querySelector('a')?.focus();
  }, true);
}
