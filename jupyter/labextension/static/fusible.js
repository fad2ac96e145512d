/* fusible.js - colours for Fusible and a pane of its variables in JupyterLab 4: a
 * prebuilt extension, written by hand as the container that JupyterLab loads, so that
 * nothing has to be built.
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
      requires: [notebook.INotebookTracker],
      optional: [consoles.IConsoleTracker],
      activate: (app, notebooks, consoles) => {
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

  /* Where a page has no notebooks, colours are left. */
  async function extension() {
    const plugins = [await languagePlugin()];
    try {
      plugins.push(await variablesPlugin());
    } catch (error) {
      console.warn(`${NAME}: no pane of variables here: ${error}`);
    }
    return {__esModule: true, default: plugins};
  }

  const modules = {
    './extension': extension,
    // for tests
    './parser': async () => parser,
    './size': async () => size,
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
