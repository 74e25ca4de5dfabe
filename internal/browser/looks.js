// Whether a text can be read depends on how its letters look and on what is painted
// behind them, so of the texts that agree in all of that axe has to measure one.
// run(part, rules, passed) leaves out what looks like a text in passed, and returns
// the looks that passed now. A look that failed, or that axe could not measure, is
// measured wherever it is.
(() => {
  const solid = colour => !colour.startsWith('rgba') && !colour.includes('/');
  // Where an element may lie on top of something that it is not inside of. What only
  // stays in view lies where it belongs, as axe looks from the top of the page.
  const shifted = (...lengths) => lengths.some(l => parseFloat(l) < -2);
  const lifted = s => s.position === 'sticky' ? s.bottom !== 'auto' : s.position !== 'static' && (s.position !== 'relative' || s.zIndex !== 'auto' || shifted(s.top, s.right, s.bottom, s.left));
  const loose = s => lifted(s) || s.float !== 'none' || s.transform !== 'none' || s.translate !== 'none' || shifted(s.marginTop, s.marginRight, s.marginBottom, s.marginLeft);
  // Axe leaves out what has no letters of its own, and cannot tell what has a picture behind them.
  const letters = e => e.matches('input, select, textarea') || [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim());
  const pictured = e => getComputedStyle(e).backgroundImage !== 'none';

  // behind is what ancestors paint behind the letters of an element, or null when it may be more than that.
  const ground = () => {
    const known = new Map([[null, { behind: '', faded: '' }]]);
    const of = e => {
      if (!known.has(e)) {
        const s = getComputedStyle(e), above = of(e.parentElement), image = s.backgroundImage === 'none' ? '' : s.backgroundImage;
        const faded = [s.opacity === '1' ? '' : s.opacity, s.filter, s.backdropFilter, s.mixBlendMode].filter(v => !['', 'none', 'normal'].includes(v)).join();
        let behind = null;
        if (solid(s.backgroundColor)) behind = s.backgroundColor + image;
        else if (!loose(s) && above.behind !== null) behind = above.behind + (s.backgroundColor === 'rgba(0, 0, 0, 0)' ? '' : '+' + s.backgroundColor) + image;
        known.set(e, { behind, faded: above.faded + faded });
      }
      return known.get(e);
    };
    return of;
  };

  const run = async (part, rules, passed) => {
    const of = ground(), before = new Set(passed), now = new Set();
    const look = e => {
      const { behind, faded } = of(e), s = getComputedStyle(e);
      return behind === null ? '' : [s.color, s.webkitTextFillColor, s.webkitTextStroke, s.textShadow, s.fontSize, s.fontWeight, behind, faded].join(';');
    };
    const rule = axe._audit.getRule('color-contrast'), check = axe._audit.checks['color-contrast'];
    const matches = rule.matches, evaluate = check.evaluate;
    rule.matches = (e, ...rest) => letters(e) && !pictured(e) && !before.has(look(e)) && matches.call(rule, e, ...rest);
    check.evaluate = function (e, ...rest) {
      const data = this.data;
      let ratio;
      this.data = found => { ratio = found.contrastRatio; data(found); };
      const ok = evaluate.call(this, e, ...rest);
      if (ok === true && ratio) now.add(look(e));
      return ok;
    };
    try {
      const found = await axe.run(part || document, { preload: false, resultTypes: ['violations'], runOnly: rules });
      return { Looks: [...now].filter(l => l), Violations: found.violations.map(v => ({ ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.map(n => ({ HTML: n.html, Why: n.failureSummary })) })) };
    } finally {
      Object.assign(rule, { matches });
      Object.assign(check, { evaluate });
    }
  };
  return { run };
})()
