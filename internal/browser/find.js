// What a person finds on a page: shown things by their words, fields by their labels.
(() => {
  const squash = s => s.replace(/\s+/g, ' ').trim();
  const shown = e => {
    const b = e.getBoundingClientRect();
    return b.width > 0 && b.height > 0 && e.checkVisibility({ visibilityProperty: true });
  };
  // An open dialog or popover is all there is to press.
  const room = () => [...document.querySelectorAll('dialog:modal, [popover]:popover-open')].pop() ?? document;
  const without = (e, selector) => {
    const copy = e.cloneNode(true);
    for (const x of copy.querySelectorAll(selector)) x.remove();
    return squash(copy.textContent);
  };
  const words = e => [e.getAttribute('aria-label'), without(e, 'kbd'), without(e, 'kbd, .sr-only'), e.value]
    .filter(w => typeof w === 'string').map(squash);
  const inMain = e => e.closest('main, dialog, [popover]') !== null && !e.closest('aside.sidebar:not(:popover-open)');

  const pressable = text => {
    const all = [...room().querySelectorAll('button, a[href], summary, input[type=submit]')].filter(e => shown(e) && words(e).includes(text));
    const best = all.filter(inMain).length ? all.filter(inMain) : all;
    const enabled = best.filter(e => !e.disabled);
    return enabled.length ? enabled : best;
  };
  const labelled = text => [...room().querySelectorAll('input:not([type=hidden]), textarea, select')].filter(shown)
    .filter(e => [...(e.labels ?? [])].some(l => squash(l.textContent) === text || squash(without(l, 'small, .quiet')) === text) ||
      squash(e.getAttribute('aria-label') ?? '') === text);
  const where = e => {
    e.scrollIntoView({ block: 'center', behavior: 'instant' });
    const r = e.getClientRects()[0], x = r.left + r.width / 2, y = r.top + r.height / 2;
    const hit = document.elementFromPoint(x, y), own = hit && (e.contains(hit) || hit.contains(e) || [...(e.labels ?? [])].some(l => l.contains(hit)));
    return { x, y, covered: own ? '' : (hit ? hit.outerHTML.slice(0, 120) : 'nothing') };
  };
  const look = list => {
    if (!list.length) return { count: 0 };
    return { count: list.length, disabled: list[0].disabled === true, ...where(list[0]) };
  };
  return {
    press: text => look(pressable(text)),
    field: label => {
      const list = labelled(label), e = list[0];
      return { ...look(list), kind: e ? (e.tagName === 'INPUT' ? e.type : e.tagName.toLowerCase()) : '', value: e?.value ?? '', checked: e?.checked === true };
    },
    select: label => { const e = labelled(label)[0]; e.focus(); e.select(); },
    set: (label, value) => {
      const e = labelled(label)[0];
      e.focus();
      e.value = value;
      e.dispatchEvent(new Event('input', { bubbles: true }));
      e.dispatchEvent(new Event('change', { bubbles: true }));
    },
    choose: (label, option) => {
      const e = labelled(label)[0], o = [...e.options].find(o => squash(o.textContent) === option);
      if (!o) return [...e.options].map(o => squash(o.textContent)).join(' | ');
      e.focus();
      e.value = o.value;
      e.dispatchEvent(new Event('change', { bubbles: true }));
      return '';
    },
    text: () => squash(room() === document ? document.body.innerText : room().innerText),
    focused: () => {
      const e = document.activeElement;
      if (!e || e === document.body) return '';
      return squash(e.getAttribute('aria-label') ?? '') || squash([...(e.labels ?? [])].map(l => l.textContent).join(' ')) || (e.matches('a, button, summary') ? without(e, 'kbd') : e.id);
    },
  };
})()
