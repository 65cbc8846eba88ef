(() => {
  'use strict';
  const all = (query, within = document) => Array.from(within.querySelectorAll(query));
  const tools = document.querySelector('.tools');
  const dialog = document.querySelector('dialog');
  const input = tools.querySelector('input');
  const count = tools.querySelector('output');
  tools.hidden = false;

  // Opens every fold that an element stands in, and brings it into sight.
  const show = (element) => {
    for (let at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    element.scrollIntoView({ block: 'start' });
    const target = element.querySelector('summary') || element;
    if (target === element) element.tabIndex = -1;
    target.focus({ preventScroll: true });
  };
  const go = () => {
    const element = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (element) show(element);
  };
  addEventListener('hashchange', go);
  go();

  let last = null;
  const next = () => {
    const rows = all('.row:not([data-s="passed"]):not([hidden])');
    if (rows.length) show(last = rows[(rows.indexOf(last) + 1) % rows.length]);
  };
  const evidence = () => {
    const element = document.getElementById('_evidence');
    if (element) show(element);
  };

  let texts = null;
  const filter = () => {
    texts = texts || all('.row').map((row) => [row, row.textContent.toLowerCase()]);
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    for (const [row, text] of texts) {
      row.hidden = !text.includes(wanted);
      if (!row.hidden) shown += 1;
    }
    count.textContent = wanted ? shown + ' of ' + texts.length + ' rows' : '';
  };
  input.addEventListener('input', filter);

  const keys = { n: next, e: evidence, '/': () => input.focus(), '?': () => dialog.showModal() };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === input) {
      if (event.key === 'Escape') { input.value = ''; filter(); input.blur(); }
      return;
    }
    if (dialog.open || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of all('button[data-k]', tools)) button.addEventListener('click', () => keys[button.dataset.k]());

  dialog.addEventListener('click', () => dialog.close());

  // A fold to copy from: its text goes to the clipboard, or is marked where that is not allowed.
  for (const fold of all('details[data-copy]')) {
    const label = fold.querySelector('summary');
    const words = label.textContent;
    fold.addEventListener('toggle', async () => {
      label.textContent = words;
      if (!fold.open) return;
      const pre = fold.querySelector('pre');
      try {
        await navigator.clipboard.writeText(pre.textContent);
        label.textContent = words + ': copied';
      } catch {
        getSelection().selectAllChildren(pre);
      }
    });
  }

  // On paper nothing can be unfolded.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = all('details:not([open]):not([data-copy])').slice(0, 2000);
    for (const fold of opened) fold.open = true;
  });
  addEventListener('afterprint', () => { for (const fold of opened) fold.open = false; });
})();
