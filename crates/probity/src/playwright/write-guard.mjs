// The write guard of Playwright runs: what it does about a control that is about to be activated, and about a request
// that is about to leave. Pure functions: no browser, no files. `probity guard decide` makes the same decisions.

export const POLICIES = ['read-only', 'scoped-write', 'unrestricted'];

// Words of controls that write, whatever the profile says; a whole word, in any case.
const WORDS = [
  'save', 'delete', 'remove', 'publish', 'share', 'submit', 'send', 'archive', 'upload', 'import', 'rename', 'duplicate',
  'update', 'confirm', 'pay', 'purchase', 'invite', 'reset', 'restore', 'approve', 'reject', 'log out|sign out',
];

// How class names of icons begin on controls that write.
const ICONS = [
  'mdi-delete', 'mdi-trash', 'mdi-pencil', 'mdi-content-save', 'mdi-share', 'mdi-upload', 'mdi-send', 'mdi-archive',
  'mdi-logout',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', '*'];
const PATTERN_BYTES = 8 * 1024;
const PATTERN_DEPTH = 32;
const QUOTED = 80;

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value) => (typeof value === 'string' ? value : undefined);

// How deep the groups of a pattern lie in each other.
function depthOf(source) {
  let depth = 0;
  let deepest = 0;
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const c = source[at];
    if (c === '\\') at += 1;
    else if (c === '[') inClass = true;
    else if (c === ']') inClass = false;
    else if (c === '(' && !inClass) deepest = Math.max(deepest, depth += 1);
    else if (c === ')' && !inClass) depth = Math.max(0, depth - 1);
  }
  return deepest;
}

// Reads the `mutation` block of a host profile. Throws, with everything that is wrong, where no guard could stand on it.
export function compile(config) {
  const faults = [];
  const fault = (subject, message) => faults.push(subject === '' ? message : `${subject} ${message}`);

  const pattern = (source, subject, flags) => {
    if (typeof source !== 'string' || source === '') {
      fault(subject, 'is a regular expression, and not empty');
      return undefined;
    }
    if (Buffer.byteLength(source) > PATTERN_BYTES) {
      fault(subject, `is no regular expression of JavaScript: a pattern has at most ${PATTERN_BYTES} bytes`);
      return undefined;
    }
    if (depthOf(source) > PATTERN_DEPTH) {
      fault(subject, `is no regular expression of JavaScript: groups lie in each other at most ${PATTERN_DEPTH} deep`);
      return undefined;
    }
    try {
      return new RegExp(source, flags);
    } catch (error) {
      fault(subject, `is no regular expression of JavaScript: ${error.message}`);
      return undefined;
    }
  };

  const list = (of, key, subject) => {
    const value = isMap(of) ? (of[key] ?? []) : [];
    if (!Array.isArray(value)) {
      fault(subject, 'is a list');
      return [];
    }
    return value.map((entry, n) => [`${subject}[${n}]`, entry]);
  };

  const signatures = (key) => list(config, key, key).flatMap(([at, entry]) => {
    const method = isMap(entry) ? entry.method : undefined;
    if (!METHODS.includes(method)) fault(`${at}.method`, `is one of ${METHODS.join(' ')}`);
    const url = pattern(isMap(entry) ? entry.url : undefined, `${at}.url`, '');
    const wanted = isMap(entry) ? (entry.body ?? undefined) : undefined;
    const body = wanted === undefined ? undefined : pattern(wanted, `${at}.body`, '');
    return [{ method, url, body }];
  });

  config = config ?? {};
  if (!isMap(config)) fault('', 'the configuration is a mapping');
  const words = [new RegExp(`\\b(?:${WORDS.join('|')})\\b`, 'i')];
  const icons = [...ICONS];
  const controls = isMap(config) ? (config.deny_controls ?? {}) : {};
  if (!isMap(controls)) fault('deny_controls', 'is a mapping of text and icons');
  for (const [at, source] of list(controls, 'text', 'deny_controls.text')) {
    const word = pattern(source, at, 'i');
    if (word) words.push(word);
  }
  for (const [at, icon] of list(controls, 'icons', 'deny_controls.icons')) {
    if (typeof icon === 'string' && icon !== '') icons.push(icon);
    else fault(at, 'is the beginning of a class name, and not empty');
  }
  const writes = signatures('write_signatures');
  const allows = signatures('allow_signatures');
  if (faults.length > 0) throw new Error(faults.join('; '));
  return { words, icons, writes, allows };
}

// What a test may write, out of QA_PILOT_MUTATION: {policy, prefix}. Unset or blank means read-only, never unrestricted.
export function mutationOf(text) {
  if (text === undefined || text.trim() === '') return { policy: 'read-only', prefix: null };
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`QA_PILOT_MUTATION is no JSON: ${error.message}`);
  }
  if (!isMap(value) || !POLICIES.includes(value.policy)) {
    throw new Error(`QA_PILOT_MUTATION names no policy of ${POLICIES.join(', ')}`);
  }
  const prefix = value.prefix ?? null;
  if (value.policy === 'scoped-write') {
    if (typeof prefix !== 'string' || !/^[A-Za-z0-9_-]{3,}$/.test(prefix)) {
      throw new Error('QA_PILOT_MUTATION: scoped-write needs a prefix of at least 3 letters, digits, _ or -');
    }
  } else if (prefix !== null) {
    throw new Error(`QA_PILOT_MUTATION: a prefix means nothing under ${value.policy}`);
  }
  return { policy: value.policy, prefix };
}

// The `mutation` block of the profile, out of QA_PILOT_MUTATION_CONFIG. Unset or blank means the shipped controls alone.
export function configOf(text) {
  if (text === undefined || text.trim() === '') return {};
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`QA_PILOT_MUTATION_CONFIG is no JSON: ${error.message}`);
  }
  if (!isMap(value)) throw new Error('QA_PILOT_MUTATION_CONFIG is no mapping');
  return value;
}

// A control that is about to be activated: {label, icons, pageUrl, ownRowText} under {policy, prefix, scopeUrl}.
export function decideControl(guard, input, state) {
  const label = textOf(input?.label) ?? '';
  const names = Array.isArray(input?.icons) ? input.icons.filter((name) => typeof name === 'string') : [];
  const icon = names.find((name) => guard.icons.some((bad) => name.startsWith(bad)));
  let what;
  if (guard.words.some((word) => word.test(label))) what = `control "${[...label].slice(0, QUOTED).join('')}"`;
  else if (icon !== undefined) what = `icon ${icon}`;
  else return { action: 'allow', reason: 'not a write control' };
  switch (state?.policy) {
    case 'unrestricted':
      return { action: 'allow', reason: `${what}: the policy is unrestricted` };
    case 'scoped-write': {
      if (inScope(textOf(state.scopeUrl), textOf(input?.pageUrl) ?? '')) {
        return { action: 'allow', reason: `${what}: the page lies in the scope` };
      }
      const prefix = textOf(state.prefix) ?? '';
      if (prefix !== '' && (textOf(input?.ownRowText) ?? '').includes(prefix)) {
        return { action: 'allow', reason: `${what}: its row holds the prefix` };
      }
      return { action: 'block', reason: `${what}: neither its row nor the page is the test's own` };
    }
    case 'read-only':
      return { action: 'block', reason: `${what}: the policy is read-only` };
    default:
      return { action: 'block', reason: `${what}: the policy is unknown` };
  }
}

function inScope(source, page) {
  if (source === undefined) return false;
  try {
    return new RegExp(source).test(page);
  } catch {
    return false;
  }
}

const matches = (one, method, url, body) =>
  (one.method === '*' || one.method === method) && one.url.test(url)
  && (one.body === undefined || (typeof body === 'string' && one.body.test(body)));

// A request that is about to leave: {method, url, body} under {policy}. One that no write signature matches is let go.
export function decideRequest(guard, input, state) {
  const method = (textOf(input?.method) ?? '').toUpperCase();
  const url = textOf(input?.url) ?? '';
  const n = guard.writes.findIndex((one) => matches(one, method, url, input?.body));
  if (n < 0) return { action: 'allow', reason: 'no write signature matches' };
  const a = guard.allows.findIndex((one) => matches(one, method, url, input?.body));
  if (a >= 0) return { action: 'allow', reason: `allow_signatures[${a}] matches` };
  const what = `write_signatures[${n}] matches`;
  switch (state?.policy) {
    case 'scoped-write':
    case 'unrestricted':
      return { action: 'observe', reason: what };
    case 'read-only':
      return { action: 'block', reason: `${what}, and the policy is read-only` };
    default:
      return { action: 'block', reason: `${what}, and the policy is unknown` };
  }
}

// Answers a list of questions as `probity guard decide` does.
export function decideAll(questions) {
  if (!Array.isArray(questions)) throw new Error('a list of questions is expected: [{kind, config, input, state}]');
  return questions.map((question, n) => {
    const { kind, config, input, state } = question ?? {};
    if (!['control', 'request', 'config'].includes(kind)) {
      throw new Error(`question ${n} has no kind of control, request or config`);
    }
    let guard;
    try {
      guard = compile(config);
    } catch (error) {
      return { throws: error.message };
    }
    if (kind === 'control') return decideControl(guard, input, state);
    if (kind === 'request') return decideRequest(guard, input, state);
    return { ok: true, writes: guard.writes.length, allows: guard.allows.length, icons: guard.icons.length };
  });
}

// The script that stands in every document before the page's own: it decides on controls before anything else hears of
// the event, and reports through a binding that it takes away from the page. `key` is what only the guard's own side knows.
export function pageSource({ guard, state, binding, setter, key }) {
  const pattern = (one) => `new RegExp(${JSON.stringify(one.source)}, ${JSON.stringify(one.flags)})`;
  return `(() => {
    const QUOTED = ${QUOTED};
    const textOf = ${textOf.toString()};
    const inScope = ${inScope.toString()};
    const decideControl = ${decideControl.toString()};
    const guard = { words: [${guard.words.map(pattern).join(', ')}], icons: ${JSON.stringify(guard.icons)} };
    const state = ${JSON.stringify(state)};
    (${inPage.toString()})(guard, state, decideControl, ${JSON.stringify({ binding, setter, key })});
  })();`;
}

// The script that narrows or widens the scope of documents that are opened from now on.
export function scopeSource({ setter, key, scopeUrl }) {
  return `window[${JSON.stringify(setter)}]?.(${JSON.stringify(key)}, ${JSON.stringify(scopeUrl)});`;
}

// Runs inside the page. It may use nothing from outside but its arguments.
function inPage(guard, state, decideControl, { binding, setter, key }) {
  const send = window[binding];
  if (typeof send !== 'function') return;
  delete window[binding];
  // Whoever does not know the key changes nothing.
  Object.defineProperty(window, setter, { value: (told, scopeUrl) => { if (told === key) state.scopeUrl = scopeUrl; } });
  const report = (what) => { try { void send({ ...what, key }); } catch { /* the document is going away */ } };
  const CONTROL = 'button, a, [role=button], [role=menuitem], [role=link], [role=tab], input[type=submit], '
    + 'input[type=button], input[type=image], summary, [onclick], [tabindex]';
  const ROW = 'tr, [role=row], li, [role=listitem], .v-list-item';

  const elementOf = (event) => {
    const first = event.composedPath()[0];
    return first instanceof Element ? first : first?.parentElement ?? null;
  };
  // Out of a shadow tree, the host is the next element above.
  const closest = (element, selector) => {
    for (let at = element; at; at = at.getRootNode() instanceof ShadowRoot ? at.getRootNode().host : null) {
      const found = at.closest(selector);
      if (found) return found;
    }
    return null;
  };
  const labelOf = (control) => [control.innerText, control.getAttribute('aria-label'), control.getAttribute('title'), control.value]
    .find((text) => typeof text === 'string' && text.trim() !== '') ?? '';
  const iconsOf = (control) => [control, ...control.querySelectorAll('*')].flatMap((one) => [...one.classList]);
  const textIn = (element) => [element.innerText ?? '', ...[...element.querySelectorAll('input, textarea')].map((one) => one.value)].join(' ');
  // A row that holds more rows is no row of its own.
  const rowText = (control) => [closest(control, ROW), closest(control, '[role=dialog]')]
    .filter((row) => row && row.querySelectorAll(ROW).length <= 1).map(textIn).join(' ');

  const said = new WeakMap();
  const judge = (event, element) => {
    if (!element) return;
    const control = closest(element, CONTROL) ?? element;
    // Where a button was pressed on one element and released on another, the page as a whole gets the click.
    if (control === document.body || control === document.documentElement) return;
    const input = { label: labelOf(control), icons: iconsOf(control), pageUrl: location.href, ownRowText: rowText(control) };
    const decision = decideControl(guard, input, state);
    if (decision.action === 'allow') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // Pointer, mouse and click of one activation are one event.
    const now = performance.now();
    if (now - (said.get(control) ?? -Infinity) < 500) return;
    said.set(control, now);
    report({ what: 'control', reason: decision.reason, label: input.label.slice(0, 120) });
  };
  const on = (names, elementFor) => names.forEach((name) => window.addEventListener(name, (event) => judge(event, elementFor(event)), { capture: true }));
  on(['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick', 'dblclick'], elementOf);
  on(['dragstart', 'drop'], elementOf);
  on(['submit'], (event) => event.submitter ?? elementOf(event));
  on(['keydown'], (event) => (event.key === 'Enter' || event.key === ' ' ? document.activeElement ?? elementOf(event) : null));

  report({ what: 'installed' });
}
