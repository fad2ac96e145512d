/* fusible.js - colours for Fusible, a pane of its variables, and plans as cards that can
 * be chosen among, in JupyterLab 4: a prebuilt extension, written by hand as the container
 * that JupyterLab loads, so that nothing has to be built.
 *
 * A container has init(), which gets the modules that JupyterLab shares, and get(),
 * which gives the factory of one of its own (webpack's module federation; JupyterLab:
 * "Prebuilt extensions"). For the colours it takes CodeMirror's StreamLanguage and
 * the token of JupyterLab's list of languages, for the pane a widget and the tokens
 * of what tells which notebook or console is in front.
 *
 * core/lang/lex.c has the rules of the language; jupyter/fusible_pygments.py has them
 * as regular expressions, of which these are the same in JavaScript.
 * tests/jupyter/test_colours.py holds the tables and the colours of both together.
 */
(function () {
  'use strict';

  const NAME = 'jupyterlab-fusible';

  // -- the words ------------------------------------------------------------------

  const KEYWORDS = ['if', 'elseif', 'else', 'end', 'while', 'for', 'forall',
    'function', 'return', 'begin', 'break', 'continue', 'barrier', 'import', 'try', 'catch'];
  const CONSTANTS = ['true', 'false'];
  // Special at the start of a statement and before a name, names elsewhere.
  const DECLARATIONS = ['input', 'TILE32x32', 'matrix', 'subvector32', 'vector',
    'globalscalar', 'scalar'];
  const OPERATORS = ['->', '+=', '-=', '*=', '/=', '||', '&&', '==', '!=', '<=', '>=',
    '.*', './', '.^', ".'", '=', '<', '>', ':', '+', '-', '*', '/', '\\', '^', '!', "'"];
  // Above ASCII everything is a letter but these.
  const NO_LETTERS = [
    [0x80, 0xa9], [0xab, 0xb1], [0xb4, 0xb4], [0xb6, 0xb8], [0xbb, 0xbf],
    [0xd7, 0xd7], [0xf7, 0xf7], [0x61c, 0x61c], [0x2000, 0x206f],
    [0x20a0, 0x20cf], [0x2150, 0x2bff], [0x2e00, 0x3004], [0x3008, 0x3020],
    [0x3030, 0x3030], [0xd800, 0xf8ff], [0xfe00, 0xfe6f], [0xfeff, 0xff20],
    [0xff3b, 0xff40], [0xff5b, 0xff65], [0xffe0, 0xffff], [0x1d6c1, 0x1d6c1],
    [0x1f000, 0x1faff], [0xe0000, 0x10ffff]];

  // -- the rules --------------------------------------------------------------------

  const ranges = NO_LETTERS.map(([a, b]) =>
    `\\u{${a.toString(16)}}-\\u{${b.toString(16)}}`).join('');
  const LETTER = `[^\\x00-@\\[-\\^\`\\{-\\x7f${ranges}]`;
  const WORD = `${LETTER}(?:${LETTER}|[0-9])*`;
  const ENDS = `(?!${LETTER}|[0-9])`;
  const EXPONENT = '[eE][-+]?[0-9]+';
  const POINT = "\\.(?![*\\/^.'])"; // that of `1.*x` belongs to the operator

  const escaped = s => s.replace(/[\\^$.*+?()[\]{}|\/]/g, '\\$&');
  const either = list => `(?:${list.map(escaped).join('|')})`;
  /* A regular expression, tried at one place, and the style of each of its groups;
   * without groups, of all. null: as text. A style names a highlighting tag of
   * CodeMirror, of which the theme makes a colour. */
  const rule = (source, ...styles) => [new RegExp(source, 'uy'), styles];

  // A command is all of its line, `#` and `;` too.
  const COMMANDS = [
    rule('(:)([A-Za-z_][\\p{L}\\p{N}_]*)(.*)', 'operator', 'keyword', null),
    rule('(:?\\?)(.*)', 'operator', null)];
  const DECLARATION = rule(
    `(${either(DECLARATIONS)})([ \\t]+)(?=${LETTER})`, 'keyword', null);
  const EXPRESSION = [
    rule('(?:#|//).*', 'comment'),
    rule('"', 'string'),
    rule(`0[xX][0-9a-fA-F]+${ENDS}`, 'number'),
    rule(`(?:[0-9]+${POINT}[0-9]*|\\.[0-9]+)(?:${EXPONENT})?i?${ENDS}`, 'number'),
    rule(`[0-9]+(?:${EXPONENT}i?|i)${ENDS}`, 'number'),
    rule(`[0-9]+${ENDS}(?!${POINT})`, 'number'),
    // A name sticks to it: `2x`.
    rule(`(?:[0-9]+(?:${POINT})?|\\.(?=[0-9]))(?:${LETTER}|[0-9])*`, 'invalid'),
    rule(`(function)([ \\t]+)(${WORD})`, 'keyword', null,
      'variableName.function.definition'),
    rule(`(for)([ \\t]+)(${WORD})([ \\t]+)(in)${ENDS}`, 'keyword', null,
      'variableName', null, 'keyword'),
    rule(either(KEYWORDS) + ENDS, 'keyword'),
    rule(either(CONSTANTS) + ENDS, 'bool'),
    rule(`${WORD}(?=\\()`, 'variableName.function'),
    rule(WORD, 'variableName'),
    rule('\\*\\*', 'invalid'),
    rule(either(OPERATORS), 'operator'),
    rule('[()\\[\\]{}]', 'bracket'),
    rule(`(\\.)(${WORD})`, 'separator', 'variableName'),
    rule('[,;]', 'separator')];
  const STRING = [
    rule('"', 'string'),
    rule('\\\\(?:[nt\\\\"]|x[0-9a-fA-F]{2}|u\\{[0-9a-fA-F]+\\})', 'string.special'),
    rule('\\\\.?', 'invalid'),
    rule('[^"\\\\]+', 'string')];

  // -- one word after the other -------------------------------------------------------

  /* The state between two words:
   *   queue     what is left of a rule with groups: [length, style]
   *   string    in one; it ends on its own line
   *   brackets  open ( and [: a line in them begins no statement
   *   blocks    open blocks, for the indent
   *   begins    a statement may begin here */
  function startState() {
    return {queue: [], string: false, brackets: 0, blocks: 0, begins: true};
  }

  function match(rules, stream) {
    for (const [expression, styles] of rules) {
      expression.lastIndex = stream.pos;
      const found = expression.exec(stream.string);
      if (found) return [found, styles];
    }
    return null;
  }

  /* Goes over what a rule found; gives the style of its first part. */
  function take(found, styles, stream, state) {
    if (found.length === 1) {
      stream.pos += found[0].length;
      return styles[0];
    }
    state.queue = styles.map((style, k) => [found[k + 1].length, style])
      .filter(([length]) => length > 0);
    const [length, style] = state.queue.shift();
    stream.pos += length;
    return style;
  }

  function count(word, style, state) {
    if (word === '(' || word === '[' || word === '{') state.brackets++;
    else if (word === ')' || word === ']' || word === '}') state.brackets = Math.max(0, state.brackets - 1);
    else if (state.brackets || style !== 'keyword') return;
    else if (/^(?:if|while|for|forall|begin|try|function)\b/.test(word)) state.blocks++;
    else if (word === 'end') state.blocks = Math.max(0, state.blocks - 1);
  }

  function token(stream, state) {
    if (state.queue.length) {
      const [length, style] = state.queue.shift();
      stream.pos += length;
      return style;
    }
    if (stream.pos === 0) {
      state.string = false;
      state.begins = true;
    }
    if (state.string) {
      const [found, styles] = match(STRING, stream);
      if (found[0] === '"') state.string = false;
      return take(found, styles, stream, state);
    }
    if (stream.eatSpace()) return null;
    const whole = !state.brackets && state.begins;
    const first = whole && stream.string.slice(0, stream.pos).trim() === '';
    const got = (first && match(COMMANDS, stream)) ||
      (whole && match([DECLARATION], stream)) || match(EXPRESSION, stream);
    state.begins = false;
    if (!got) {
      stream.pos += stream.string.codePointAt(stream.pos) > 0xffff ? 2 : 1;
      return 'invalid';
    }
    const [found, styles] = got, word = found[0];
    state.begins = word === ';';
    state.string = word === '"';
    count(word, styles[0], state);
    return take(found, styles, stream, state);
  }

  function indent(state, after, context) {
    const closes = /^\s*(?:end|else|elseif|catch)\b/.test(after) ? 1 : 0;
    return Math.max(0, state.blocks - closes) * context.unit;
  }

  /* CodeMirror's description of a language that is read word by word. */
  const parser = {
    name: 'fusible', startState, token, indent,
    languageData: {
      commentTokens: {line: '#'},
      closeBrackets: {brackets: ['(', '[', '{', '"']},
      indentOnInput: /^\s*(?:end|else|elseif|catch)$/
    }
  };

  // -- the extension ------------------------------------------------------------------

  let shared = {};

  /* The shared module of this name: the one in use, else the newest. */
  async function takeShared(name) {
    const versions = shared[name] || {};
    const numbers = v => v.split(/[.-]/).map(n => parseInt(n, 10) || 0);
    const older = (a, b) => {
      const x = numbers(a), y = numbers(b);
      const k = x.findIndex((n, i) => n !== (y[i] || 0));
      return k >= 0 && x[k] < (y[k] || 0);
    };
    const best = Object.keys(versions).reduce((a, b) =>
      a === null || (!versions[a].loaded && (versions[b].loaded || older(a, b)))
        ? b : a, null);
    if (best === null) throw new Error(`${NAME}: JupyterLab does not share ${name}`);
    return (await versions[best].get())();
  }

  async function languagePlugin() {
    const [language, codemirror] = await Promise.all(
      ['@codemirror/language', '@jupyterlab/codemirror'].map(takeShared));
    return {
      id: `${NAME}:language`,
      description: 'Fusible in the list of languages',
      autoStart: true,
      requires: [codemirror.IEditorLanguageRegistry],
      activate: (app, languages) => {
        if (languages.findByName('fusible')) return;
        languages.addLanguage({
          name: 'fusible', displayName: 'Fusible', mime: 'text/x-fusible',
          extensions: ['fs'],
          filename: /\.fs$/, // else F#, which has the ending too, would have it
          load: async () => new language.LanguageSupport(
            language.StreamLanguage.define(parser))
        });
      }
    };
  }

  // -- the variables --------------------------------------------------------------------

  /* What a variable of docs/events.md shows in each column. */
  const COLUMNS = {
    name: v => v.name,
    type: v => v.type,
    memory: v => v.where === null || v.bytes === undefined ? '' : size(v.bytes),
    value: v => v.state === 'virtual' ? 'computed when it is read'
      : v.state === 'lost' ? 'lost' : v.value === v.type ? '' : v.value
  };

  function size(bytes) {
    const k = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
    const number = bytes / 1024 ** k;
    const digits = k ? number.toFixed(number < 10 ? 2 : number < 100 ? 1 : 0) : number;
    return `${digits} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][k]}`;
  }

  function make(tag, parent, text) {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /* A table of the variables, or the words that stand in its place, and the device's
   * memory, if known. All of it is text: nothing in a variable can become part of the
   * page. */
  function draw(node, variables, words, memory) {
    const note = text => { make('p', node, text).style.padding = '8px'; };
    node.replaceChildren();
    if (variables && variables.length) drawTable(node, variables);
    else note(words);
    if (memory)
      note(`${memory.device}: ${size(memory.used)} in use, ${size(memory.free)} free`);
  }

  /* Every column has its share of the pane, whatever is in it. What is long is cut,
   * and whole where the mouse rests on it. */
  const CELL = 'padding:2px 4px; vertical-align:top; white-space:nowrap;' +
    'overflow:hidden; text-overflow:ellipsis; ';
  const SHARES = {name: '27%', type: '30%', memory: '26%', value: '17%'};

  function drawTable(node, variables) {
    const table = make('table', node);
    table.className = 'jp-FusibleVariables-table';
    table.style.cssText = 'width:100%; table-layout:fixed; border-spacing:0;' +
      'text-align:left; font-size:var(--jp-code-font-size);' +
      'font-family:var(--jp-code-font-family)';
    const head = make('tr', make('thead', table)), body = make('tbody', table);
    for (const column of Object.keys(COLUMNS))
      make('th', head, column).style.cssText = CELL + `width:${SHARES[column]}`;
    for (const variable of variables) {
      const row = make('tr', body);
      for (const show of Object.values(COLUMNS)) {
        const cell = make('td', row, String(show(variable) ?? ''));
        cell.title = cell.textContent;
        cell.style.cssText = CELL;
      }
    }
  }

  /* What the pane shows: the variables of one kernel at a time, asked for on the
   * control channel, so that they come while a cell runs as well. A pane that is not
   * seen asks for nothing. */
  class Variables {
    constructor(node, seen) {
      this.node = node;
      this.seen = seen;
      this.context = this.kernel = null;
      this.onMessage = (_, message) => {
        // Not any idle: being asked for variables ends in one, too.
        if (message.header.msg_type === 'status' &&
            message.content.execution_state === 'idle' &&
            message.parent_header.msg_type === 'execute_request') this.refresh();
      };
      this.onKernel = () => this.refresh();
      draw(node, null, 'no notebook of Fusible');
    }

    /* The notebook or console in front has this session; null: there is none. */
    follow(context) {
      if (context === this.context) return;
      if (this.context) {
        this.context.iopubMessage.disconnect(this.onMessage);
        this.context.kernelChanged.disconnect(this.onKernel);
      }
      this.context = context;
      if (context) {
        context.iopubMessage.connect(this.onMessage);
        context.kernelChanged.connect(this.onKernel);
      }
      this.refresh();
    }

    async refresh() {
      if (!this.seen()) return;
      const context = this.context;
      const kernel = context && context.session && context.session.kernel;
      let variables = null, memory = null, words = 'no notebook of Fusible';
      try {
        if (kernel && (await kernel.info).implementation === 'fusible') {
          const future = kernel.requestDebug(
            {type: 'request', seq: 0, command: 'inspectVariables'});
          ({variables, memory} = (await future.done).content.body);
          words = 'no variables';
        }
      } catch (error) { // it was restarted, or is gone
        words = 'the kernel does not answer';
      }
      if (context === this.context) draw(this.node, variables, words, memory);
    }
  }

  async function variablesPlugin() {
    const [widgets, notebook, consoles] = await Promise.all(
      ['@lumino/widgets', '@jupyterlab/notebook', '@jupyterlab/console']
        .map(takeShared));
    return {
      id: `${NAME}:variables`,
      description: 'A pane of the variables of a notebook or console of Fusible',
      autoStart: true,
      optional: [notebook.INotebookTracker, consoles.IConsoleTracker],
      activate: (app, notebooks, consoles) => {
        if (!notebooks) return;
        class Pane extends widgets.Widget {
          onAfterShow() { shown.refresh(); }
        }
        const pane = new Pane();
        pane.id = 'fusible-variables';
        pane.addClass('jp-FusibleVariables');
        pane.title.label = 'Fusible';
        pane.title.caption = 'Variables of Fusible';
        pane.node.style.cssText = 'overflow:auto; background:var(--jp-layout-color1);' +
          'color:var(--jp-ui-font-color1); min-width:300px';
        const shown = new Variables(pane.node, () => pane.isVisible);
        const look = (_, panel) => { if (panel) shown.follow(panel.sessionContext); };
        for (const tracker of [notebooks, consoles]) {
          if (!tracker) continue;
          tracker.currentChanged.connect(look);
          look(tracker, tracker.currentWidget);
        }
        app.shell.add(pane, 'right', {rank: 900});
      }
    };
  }

  // -- plans ------------------------------------------------------------------------------

  const PLAN_TYPE = 'application/vnd.fusible.plan+json', PLAN_TARGET = 'fusible.plan';

  /* Seconds as plans show them elsewhere. */
  function time(seconds) {
    if (typeof seconds !== 'number') return '—';
    if (seconds < 1e-4) return `${(seconds * 1e6).toFixed(1)} µs`;
    if (seconds < 1e-2) return `${(seconds * 1e3).toFixed(3)} ms`;
    if (seconds < 1) return `${(seconds * 1e3).toFixed(seconds < 0.1 ? 2 : 1)} ms`;
    return `${seconds.toFixed(seconds < 10 ? 3 : 1)} s`;
  }

  const times = ratio => `×${ratio.toFixed(2)}`;
  const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

  /* What a choice calls statement n of a plan: the variable that it assigns, else its
   * number. */
  function statementName(plan, n) {
    const text = (plan.statements[n - 1] || {}).text || '';
    const found = new RegExp(`^\\s*(${WORD})\\s*=(?!=)`, 'u').exec(text);
    return found ? found[1] : n;
  }

  const namesOf = (plan, ...kernels) =>
    [...new Set(kernels.flatMap(kernel => kernel.statements || []).sort((a, b) => a - b)
      .map(n => statementName(plan, n)))];

  /* What puts two kernels together, or cuts one behind its i-th statement; null: it is
   * all one statement. */
  function fuseMessage(plan, a, b) {
    const statements = namesOf(plan, a, b);
    return statements.length < 2 ? null : {do: 'fuse', statements};
  }

  function splitMessage(plan, kernel, i) {
    const names = namesOf(plan, kernel);
    const statements = names.slice(0, i), from = names.slice(i);
    return statements.length && from.length ? {do: 'split', statements, from} : null;
  }

  /* What a kernel's settings offer for a slider each: {threads: [64, 128, 256]}. */
  function choicesOf(settings) {
    const all = {};
    for (const one of settings)
      for (const [name, value] of Object.entries({scheme: one.scheme, ...one.setting}))
        (all[name] = all[name] || new Set()).add(value);
    return Object.fromEntries(Object.entries(all)
      .map(([name, values]) => [name, [...values].sort((a, b) => a > b ? 1 : a < b ? -1 : 0)])
      .filter(([, values]) => values.length > 1));
  }

  const STYLE = `
.jp-FusiblePlan { color: var(--jp-ui-font-color1); font-family: var(--jp-ui-font-family);
  font-size: var(--jp-ui-font-size1); padding: 6px 8px; max-width: 1100px; }
.jp-FusiblePlan-head { margin: 0 0 6px; }
.jp-FusiblePlan-row { display: flex; flex-wrap: wrap; gap: 6px; align-items: center;
  margin: 6px 0; }
.jp-FusiblePlan-cards { display: flex; flex-wrap: wrap; gap: 8px; align-items: stretch; }
.jp-FusiblePlan-card { flex: 1 1 250px; max-width: 420px; min-width: 0; padding: 6px 8px;
  border: 1px solid var(--jp-border-color1); border-radius: 4px;
  background: var(--jp-layout-color1); box-sizing: border-box; }
.jp-FusiblePlan-card[draggable=true] { cursor: grab; }
.jp-FusiblePlan-card.jp-mod-over { border-color: var(--jp-brand-color1);
  box-shadow: 0 0 0 2px var(--jp-brand-color1); }
.jp-FusiblePlan-title { display: flex; justify-content: space-between; gap: 8px; }
.jp-FusiblePlan code { font-family: var(--jp-code-font-family); background: none;
  font-size: var(--jp-code-font-size); color: var(--jp-content-font-color1); padding: 0;
  overflow-wrap: anywhere; }
.jp-FusiblePlan-small { color: var(--jp-ui-font-color2); font-size: var(--jp-ui-font-size0); }
.jp-FusiblePlan-bars { margin: 5px 0; }
.jp-FusiblePlan-bar { height: 7px; margin: 2px 0; min-width: 1px; box-sizing: border-box;
  border: 1px solid var(--jp-brand-color1); background: transparent; }
.jp-FusiblePlan-bar.jp-mod-measured { background: var(--jp-brand-color1); }
.jp-FusiblePlan-bar.jp-mod-slow { background: var(--jp-warn-color1);
  border-color: var(--jp-warn-color1); }
.jp-FusiblePlan button, .jp-FusiblePlan select { color: var(--jp-ui-font-color1);
  background: var(--jp-layout-color2); border: 1px solid var(--jp-border-color1);
  border-radius: 3px; font: inherit; padding: 1px 8px; cursor: pointer; }
.jp-FusiblePlan button:hover:enabled { background: var(--jp-layout-color3); }
.jp-FusiblePlan button:disabled, .jp-FusiblePlan select:disabled { opacity: .5;
  cursor: default; }
.jp-FusiblePlan button:focus-visible, .jp-FusiblePlan select:focus-visible,
.jp-FusiblePlan summary:focus-visible, .jp-FusiblePlan input:focus-visible {
  outline: 2px solid var(--jp-brand-color1); outline-offset: 1px; }
.jp-FusiblePlan-cut { display: flex; align-items: center; gap: 6px; margin: 1px 0; }
.jp-FusiblePlan-cut::after { content: ""; flex: 1; border-top: 1px dashed var(--jp-border-color1); }
.jp-FusiblePlan-cut button { padding: 0 5px; font-size: var(--jp-ui-font-size0); }
.jp-FusiblePlan label { display: flex; align-items: center; gap: 6px; margin: 2px 0; }
.jp-FusiblePlan label > span:first-child { flex: 0 0 86px; }
.jp-FusiblePlan label > span:last-child { flex: 0 0 48px; text-align: right; }
.jp-FusiblePlan input[type=range] { flex: 1; min-width: 60px;
  accent-color: var(--jp-brand-color1); }
.jp-FusiblePlan-says { white-space: pre-wrap; margin: 4px 0; }
.jp-FusiblePlan-says.jp-mod-error { color: var(--jp-error-color1); }
.jp-FusiblePlan-race { border-collapse: collapse; width: 100%; margin: 4px 0; }
.jp-FusiblePlan-race td, .jp-FusiblePlan-race th { text-align: left; padding: 2px 8px 2px 0;
  vertical-align: middle; white-space: nowrap; }
.jp-FusiblePlan-race td:nth-child(2) { width: 45%; }
`;

  function addStyle() {
    if (document.getElementById('jp-FusiblePlan-style')) return;
    const style = document.head.appendChild(document.createElement('style'));
    style.id = 'jp-FusiblePlan-style';
    style.textContent = STYLE;
  }

  /* The way to the kernel of one plan: a comm that is opened when it is first needed.
   * ask(message) gives the answer's promise; told(answer) hears how far one is. */
  class Way {
    constructor(kernel, plan) {
      this.kernel = kernel; // gives the kernel in use, or null
      this.plan = plan;
      this.comm = null;
      this.waiting = new Map();
      this.last = 0;
      this.told = () => {};
    }

    open() {
      const kernel = this.kernel();
      if (!kernel) throw new Error('there is no kernel');
      if (this.comm && !this.comm.isDisposed && this.of === kernel.id) return;
      const comm = kernel.createComm(PLAN_TARGET);
      this.comm = comm;
      this.of = kernel.id;
      comm.onMsg = message => this.take(message.content.data);
      comm.onClose = message => {
        if (this.comm === comm) this.comm = null;
        const data = (message && message.content.data) || {};
        for (const give of this.waiting.values())
          give({status: 'error', ename: 'closed',
            evalue: 'the kernel has closed the connection', ...data});
        this.waiting.clear();
      };
      comm.open({kernel: this.plan.kernel, block: this.plan.block});
    }

    take(answer) {
      if (answer.status === 'running') return this.told(answer);
      const give = this.waiting.get(answer.id);
      this.waiting.delete(answer.id);
      if (give) give(answer);
    }

    async ask(message) {
      this.open();
      const id = ++this.last;
      return new Promise(give => {
        this.waiting.set(id, give);
        this.comm.send({...message, id});
      });
    }

    close() {
      if (this.comm && !this.comm.isDisposed) this.comm.close();
      this.comm = null;
    }
  }

  /* A plan as cards, one a kernel, in `node`. Without a way nothing can be chosen. */
  class Plan {
    constructor(node, way) {
      this.node = node;
      this.way = way;
      this.busy = this.gone = false;
      this.says = ['', false];
      this.race = this.dragged = null;
      this.open = new Set();     // kernels whose settings are shown
      this.settings = new Map(); // what they can be
      node.className = 'jp-FusiblePlan';
      // Keys are for the buttons and sliders here, not for the notebook around.
      node.setAttribute('data-lm-suppress-shortcuts', 'true');
      node.addEventListener('keydown', event => {
        if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
      });
      node.setAttribute('role', 'group');
      node.setAttribute('aria-label', 'plan');
      if (way) way.told = answer => this.tell(progressOf(answer), false);
    }

    show(plan) {
      this.plan = plan;
      this.first = this.first || plan;
      this.draw();
    }

    get free() {
      return this.way && !this.busy && !this.gone && this.plan.state !== 'launched';
    }

    /* Asks, shows what comes of it; gives the answer. */
    async ask(message) {
      if (!this.free) return null;
      const focus = this.focused();
      this.busy = true;
      this.tell('…', false);
      this.draw();
      let answer;
      try {
        answer = await this.way.ask(message);
      } catch (error) {
        answer = {status: 'error', ename: 'no-kernel', evalue: String(error.message || error)};
      }
      this.busy = false;
      this.take(message, answer);
      this.draw();
      this.focus(focus);
      return answer;
    }

    take(message, answer) {
      if (answer.status !== 'ok') {
        this.gone = this.gone || answer.ename === 'plan-gone';
        this.says = [answer.evalue + (answer.hint ? `\n${answer.hint}` : ''), true];
        return;
      }
      this.says = [answer.text || '', false];
      if (!answer.plan) return;
      // Other kernels have other settings, which are known when they have run.
      if (message.do !== 'set' && message.do !== 'unset') {
        this.settings.clear();
        this.open.clear();
      }
      this.race = null;
      this.plan = answer.plan;
    }

    tell(text, wrong) {
      this.says = [text, wrong];
      const line = this.node.querySelector('.jp-FusiblePlan-says');
      if (line) line.textContent = text;
    }

    /* The focus stays where it was although all is drawn anew. */
    focused() {
      const at = document.activeElement;
      return at && this.node.contains(at) ? at.dataset.key : undefined;
    }

    focus(key) {
      const keyed = [...this.node.querySelectorAll('[data-key]')];
      const at = key && keyed.find(e => e.dataset.key === key);
      if (at) at.focus();
      else if (key) this.node.querySelector('[data-key=run]')?.focus();
    }

    draw() {
      const key = this.focused();
      this.node.replaceChildren();
      this.drawHead();
      const cards = make('div', this.node);
      cards.className = 'jp-FusiblePlan-cards';
      for (const kernel of this.plan.kernels) this.drawCard(cards, kernel);
      if (this.way) this.drawPins();
      if (this.way) this.drawTools();
      const says = make('div', this.node, this.says[0].replace(/\n$/, ''));
      says.className = `jp-FusiblePlan-says${this.says[1] ? ' jp-mod-error' : ''}`;
      says.setAttribute('role', 'status');
      if (this.race) this.drawRace();
      this.focus(key);
    }

    drawHead() {
      const plan = this.plan, head = make('div', this.node);
      head.className = 'jp-FusiblePlan-head';
      const block = plan.block ? `block ${plan.block} · ` : '';
      const words = [`${block}${plural(plan.calls, 'call')} → ` +
        plural(plan.kernels.length, 'kernel'), size(plan.bytes)];
      if (plan.saved_bytes > 0) words.push(`${size(plan.saved_bytes)} saved`);
      words.push(`predicted ${time(plan.predicted)}`);
      if (plan.measured !== null && plan.measured !== undefined)
        words.push(`measured ${time(plan.measured)}` +
          (plan.ratio ? ` (${times(plan.ratio)})` : plan.cold ? ' (cold)' : ''));
      make('strong', head, words.join(' · '));
      const was = this.first;
      if (plan !== was && plan.predicted && was.predicted) {
        const more = plan.bytes - was.bytes;
        make('div', head, `${plan.state === 'considered' ? 'nothing has run yet; ' : ''}` +
          `shown at first: ${plural(was.kernels.length, 'kernel')}, ` +
          `${more ? `${more > 0 ? '+' : '−'}${size(Math.abs(more))} since, ` : ''}` +
          `predicted ${time(was.predicted)} → ${time(plan.predicted)} ` +
          `(${times(plan.predicted / was.predicted)})`).className = 'jp-FusiblePlan-small';
      }
    }

    drawCard(parent, kernel) {
      const card = make('section', parent);
      card.className = 'jp-FusiblePlan-card';
      card.setAttribute('aria-label', `${kernel.id}: ${kernel.does}`);
      const title = make('div', card);
      title.className = 'jp-FusiblePlan-title';
      make('strong', title, `${kernel.id} ${kernel.scheme}`);
      make('span', title, `${size(kernel.moves)}${kernel.bound ? ` · ${kernel.bound}` : ''}`)
        .className = 'jp-FusiblePlan-small';
      this.drawStatements(card, kernel);
      this.drawBars(card, kernel);
      if (!this.way) return;
      this.letDrag(card, kernel);
      this.drawFuse(card, kernel);
      this.drawSettings(card, kernel);
    }

    /* Its statements, with a place to cut between two. */
    drawStatements(card, kernel) {
      const names = namesOf(this.plan, kernel);
      const texts = [...new Set(kernel.statements || [])]
        .map(n => (this.plan.statements[n - 1] || {}).text);
      if (!this.way || names.length !== texts.length || names.length < 2) {
        make('code', card, kernel.does);
        return;
      }
      texts.forEach((text, i) => {
        if (i) {
          const line = make('div', card);
          line.className = 'jp-FusiblePlan-cut';
          this.button(line, '✂ cut', `cut-${kernel.id}-${i}`,
            () => this.ask(splitMessage(this.plan, kernel, i)),
            `cut ${kernel.id} between ${names[i - 1]} and ${names[i]}`);
        }
        make('code', make('div', card), text);
      });
    }

    /* The predicted time as a frame, the measured one filled, of all kernels to one scale. */
    drawBars(card, kernel) {
      const longest = Math.max(1e-12,
        ...this.plan.kernels.flatMap(k => [k.predicted || 0, k.measured || 0]));
      const bars = make('div', card);
      bars.className = 'jp-FusiblePlan-bars';
      const bar = (seconds, kind, words) => {
        if (typeof seconds !== 'number') return;
        const one = make('div', bars);
        one.className = `jp-FusiblePlan-bar ${kind}`;
        one.style.width = `${Math.max(0.5, 100 * seconds / longest)}%`;
        one.title = words;
      };
      const slow = kernel.ratio > 2 ? ' jp-mod-slow' : '';
      bar(kernel.predicted, 'jp-mod-predicted', `predicted ${time(kernel.predicted)}`);
      bar(kernel.measured, `jp-mod-measured${slow}`, `measured ${time(kernel.measured)}`);
      const joined = kernel.joint && kernel.joint !== 'launch' &&
        typeof kernel.measured !== 'number';
      make('div', bars, `predicted ${time(kernel.predicted)}` +
        (typeof kernel.measured === 'number' ? `, measured ${time(kernel.measured)}` : '') +
        (kernel.ratio ? ` (${times(kernel.ratio)})` : '') +
        (joined ? `, in the launch before (${kernel.joint})` : ''))
        .className = 'jp-FusiblePlan-small';
    }

    /* A card that is put on another one. */
    letDrag(card, kernel) {
      card.draggable = this.free && this.plan.kernels.length > 1;
      card.addEventListener('dragstart', event => {
        this.dragged = kernel;
        event.dataTransfer.setData('text/plain', kernel.does);
        event.dataTransfer.effectAllowed = 'move';
        event.stopPropagation();
      });
      card.addEventListener('dragend', () => { this.dragged = null; });
      const meant = () => this.dragged && this.dragged !== kernel;
      card.addEventListener('dragover', event => {
        if (!meant()) return;
        event.preventDefault();
        card.classList.add('jp-mod-over');
      });
      card.addEventListener('dragleave', () => card.classList.remove('jp-mod-over'));
      card.addEventListener('drop', event => {
        card.classList.remove('jp-mod-over');
        if (!meant()) return;
        event.preventDefault();
        event.stopPropagation();
        this.fuse(this.dragged, kernel);
      });
    }

    fuse(a, b) {
      const message = fuseMessage(this.plan, a, b);
      if (message) return this.ask(message);
      this.tell(`${a.id} and ${b.id} are of one statement`, true);
      return null;
    }

    /* The same without a mouse. */
    drawFuse(card, kernel) {
      const others = this.plan.kernels
        .filter(k => k !== kernel && fuseMessage(this.plan, k, kernel));
      if (!others.length) return;
      const row = make('div', card);
      row.className = 'jp-FusiblePlan-row';
      const key = `fuse-${kernel.id}`, one = others.length === 1;
      const words = `fuse ${kernel.id} with`;
      let chosen = others[0];
      this.button(row, one ? `fuse with ${chosen.id}` : 'fuse with', key,
        () => this.fuse(kernel, chosen), one ? `${words} ${chosen.id}` : `${words} the one chosen`);
      if (one) return;
      const list = make('select', row);
      list.setAttribute('aria-label', words);
      list.disabled = !this.free;
      list.dataset.key = `${key}-list`;
      for (const other of others) make('option', list, other.id);
      list.addEventListener('change', () => { chosen = others[list.selectedIndex]; });
    }

    drawSettings(card, kernel) {
      // Those of a plan that has not run are not known yet: kernels may be others.
      const same = this.plan.state !== 'considered' || this.settings.size > 0;
      if (!same || !kernel.setting) return;
      const details = make('details', card);
      const hand = kernel.by_hand ? ` (by hand: ${kernel.by_hand})` : '';
      const summary = make('summary', details, `settings${hand}`);
      summary.dataset.key = `settings-${kernel.id}`;
      details.open = this.open.has(kernel.id);
      details.addEventListener('toggle', () => {
        if (details.open === this.open.has(kernel.id)) return;
        if (!details.open) this.open.delete(kernel.id);
        else this.look(kernel);
      });
      const known = this.settings.get(kernel.id);
      if (!known) return;
      const choices = Object.entries(choicesOf(known));
      if (!choices.length)
        make('div', details, 'there is one setting only').className = 'jp-FusiblePlan-small';
      for (const [name, values] of choices) this.drawSlider(details, kernel, name, values);
      if (kernel.by_hand)
        this.button(details, 'leave them to the plan', `unset-${kernel.id}`,
          () => this.ask({do: 'unset', kernel: kernel.id}));
    }

    /* What settings there are is asked for when somebody looks. */
    async look(kernel) {
      this.open.add(kernel.id);
      if (this.settings.has(kernel.id)) return this.draw();
      const answer = await this.ask({do: 'settings', kernel: kernel.id});
      if (answer && answer.status === 'ok') this.settings.set(kernel.id, answer.data.settings);
      this.draw();
      return null;
    }

    drawSlider(parent, kernel, name, values) {
      const label = make('label', parent);
      make('span', label, name);
      const slider = make('input', label);
      const now = name === 'scheme' ? kernel.scheme : (kernel.setting || {})[name];
      const value = make('span', label, String(now));
      slider.type = 'range';
      slider.min = 0;
      slider.max = values.length - 1;
      slider.value = Math.max(0, values.indexOf(now));
      slider.disabled = !this.free;
      slider.dataset.key = `slider-${kernel.id}-${name}`;
      slider.setAttribute('aria-valuetext', String(now));
      slider.addEventListener('input', () => {
        value.textContent = String(values[slider.value]);
        slider.setAttribute('aria-valuetext', value.textContent);
      });
      slider.addEventListener('change', () =>
        this.ask({do: 'set', kernel: kernel.id, settings: {[name]: values[slider.value]}}));
    }

    drawPins() {
      const pins = this.plan.pins || [];
      if (!pins.length) return;
      const row = make('div', this.node);
      row.className = 'jp-FusiblePlan-row';
      for (const pin of pins) {
        const words = `${pin.statements.join(' and ')} ${pin.do === 'fuse' ? 'together' : 'apart'}`;
        this.button(row, `${words} ✕`, `pin-${pin.statements.join('-')}`,
          () => this.ask({do: `un${pin.do}`, statements: pin.statements}), `take back: ${words}`);
      }
    }

    drawTools() {
      const row = make('div', this.node);
      row.className = 'jp-FusiblePlan-row';
      this.button(row, 'run', 'run', () => this.ask({do: 'run'}),
        'run the block as it is planned now, into scratch memory');
      this.button(row, 'race', 'race', () => this.runRace(),
        'run the plan against others, and without fusion');
    }

    /* What is raced is in use: a plan that has not run does so first. */
    async runRace() {
      const ready = this.plan.state !== 'considered' || await this.ask({do: 'run'});
      const answer = ready && ready.status !== 'error' ? await this.ask({do: 'race'}) : null;
      if (answer && answer.status === 'ok') this.race = answer.data;
      this.draw();
    }

    drawRace() {
      const {plans, runs} = this.race, table = make('table', this.node);
      table.className = 'jp-FusiblePlan-race';
      const head = make('tr', make('thead', table)), body = make('tbody', table);
      for (const words of ['plan', `median of ${runs} runs`, '×', 'kernels', 'results', ''])
        make('th', head, words);
      const longest = Math.max(...plans.flatMap(p => [p.measured || 0, p.predicted || 0]));
      for (const plan of plans) {
        const row = make('tr', body);
        make('td', row, plan.rank ? `plan ${plan.rank}` : plan.plan);
        const cell = make('td', row);
        for (const kind of ['predicted', 'measured']) {
          const seconds = plan[kind];
          if (typeof seconds !== 'number') continue;
          const bar = make('div', cell);
          bar.className = `jp-FusiblePlan-bar jp-mod-${kind}`;
          bar.style.width = `${100 * seconds / longest}%`;
          bar.title = `${kind} ${time(seconds)}`;
        }
        make('div', cell, plan.trouble || time(plan.measured)).className = 'jp-FusiblePlan-small';
        const ratio = plan.measured / plans[0].measured;
        make('td', row, plan.measured && ratio < Infinity ? ratio.toFixed(2) : '—');
        make('td', row, String(plan.kernels));
        make('td', row, plan.differ === null ? '—'
          : plan.differ ? `${plan.differ} of ${plan.elements} differ` : 'the same bits');
        const last = make('td', row);
        if (plan.rank && !plan.trouble)
          this.button(last, 'take', `take-${plan.rank}`,
            () => this.ask({do: 'choose', n: plan.rank}), `take plan ${plan.rank}`);
      }
    }

    button(parent, text, key, act, words) {
      const button = make('button', parent, text);
      button.type = 'button';
      button.dataset.key = key;
      button.disabled = !this.free;
      if (words) button.title = words;
      if (words) button.setAttribute('aria-label', words);
      button.addEventListener('click', event => {
        event.stopPropagation();
        act();
      });
      return button;
    }
  }

  function progressOf(answer) {
    const done = typeof answer.done === 'number' ? ` ${Math.round(100 * answer.done)} %` : '';
    return `${answer.what || 'running'}${done}`;
  }

  /* The kernel of a session, where it is one of Fusible that a plan can be asked of. */
  const kernelOf = context => (context && context.session && context.session.kernel) || null;

  async function plansPlugin() {
    const widgets = await takeShared('@lumino/widgets');
    const [notebook, consoles, mime] = await Promise.all(
      ['@jupyterlab/notebook', '@jupyterlab/console', '@jupyterlab/rendermime']
        .map(name => takeShared(name).catch(() => null)));

    /* What JupyterLab asks for a display with a plan. */
    class PlanWidget extends widgets.Panel {
      constructor(options, context, rendermime) {
        super();
        this.options = options;
        this.context = context;
        this.rendermime = rendermime;
      }

      async renderModel(model) {
        const plan = model.data[PLAN_TYPE];
        while (this.widgets.length) this.widgets[0].dispose();
        if (this.way) this.way.close();
        const asked = plan.kernel && plan.block && this.context;
        this.way = asked ? new Way(() => kernelOf(this.context()), plan) : null;
        const cards = new widgets.Widget();
        this.addWidget(cards);
        addStyle();
        new Plan(cards.node, this.way).show(plan);
        if (model.data['text/html']) await this.addTable(model);
      }

      /* What is seen where nothing can run, folded away: the graph and the reasons. */
      async addTable(model) {
        const fold = new widgets.Widget(), html = this.rendermime.createRenderer('text/html');
        const details = make('details', fold.node);
        fold.addClass('jp-FusiblePlan');
        make('summary', details, 'table, reasons');
        await html.renderModel(model);
        this.addWidget(fold);
        this.addWidget(html);
        html.hide();
        details.addEventListener('toggle', () => {
          html.setHidden(!details.open);
          for (const inner of html.node.querySelectorAll(':scope > details'))
            inner.open = details.open;
        });
      }

      dispose() {
        if (this.way) this.way.close();
        super.dispose();
      }
    }

    const draw = (rendermime, context) => rendermime.addFactory({
      safe: false, // not in a notebook that is not trusted: there the table is shown
      mimeTypes: [PLAN_TYPE],
      createRenderer: options => new PlanWidget(options, context, rendermime)
    }, 0);
    return {
      id: `${NAME}:plans`,
      description: 'Plans as cards that can be put together, cut, run and raced',
      autoStart: true,
      optional: [notebook && notebook.INotebookTracker, consoles && consoles.IConsoleTracker,
        mime && mime.IRenderMimeRegistry].filter(token => token),
      activate: (app, ...services) => {
        const add = panel => draw((panel.content || panel.console).rendermime ||
          panel.console.rendermime, () => panel.sessionContext);
        const trackers = services.filter(service => service && service.widgetAdded);
        for (const tracker of trackers) {
          tracker.forEach(add);
          tracker.widgetAdded.connect((_, panel) => add(panel));
        }
        // Voila has one page, one kernel, and no notebooks.
        const page = services.find(service => service && service.addFactory);
        if (!trackers.length && page)
          draw(page, () => ({session: app.widgetManager}));
      }
    };
  }

  /* A page has what it can have: Voila has plans only. */
  async function extension() {
    const plugins = [];
    for (const [what, plugin] of [['colours', languagePlugin],
      ['pane of variables', variablesPlugin], ['cards of plans', plansPlugin]])
      try {
        plugins.push(await plugin());
      } catch (error) {
        console.warn(`${NAME}: no ${what} here: ${error}`);
      }
    return {__esModule: true, default: plugins};
  }

  const modules = {
    './extension': extension,
    // for tests
    './parser': async () => parser,
    './size': async () => size,
    './plans': async () => ({time, statementName, fuseMessage, splitMessage, choicesOf, Way, Plan}),
    './words': async () => ({KEYWORDS, CONSTANTS, DECLARATIONS, OPERATORS, NO_LETTERS})
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB[NAME] = {
    init: scope => { shared = scope; },
    get: async name => {
      if (!modules[name]) throw new Error(`${NAME} has no module ${name}`);
      const module = await modules[name]();
      return () => module;
    }
  };
})();
