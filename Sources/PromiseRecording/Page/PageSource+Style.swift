extension PageSource {
  /// The style sheet.
  static let style = #"""
    :root {
      color-scheme: light dark; --bar: 0px; --names: 40%;
      --paper: #fff; --panel: #f6f7f9; --text: #1c2230; --dim: #626b7c; --line: #e1e4ea; --chosen: #e4ecfb;
      --accent: #3a6cc9; --queue: #b9cbed; --fulfilled: #2e8b57; --rejected: #c8372d; --pending: #b26b00;
      --cancelled: #7b8292; --observer: #9aa1af;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14161b; --panel: #1b1e25; --text: #e3e6ed; --dim: #98a1b1; --line: #2c313b; --chosen: #243350;
        --accent: #6d9bf1; --queue: #34486f; --fulfilled: #55b382; --rejected: #f0716b; --pending: #dca544;
        --cancelled: #8b92a3; --observer: #6d7585;
      }
    }
    * { box-sizing: border-box; }
    body {
      height: 100vh; margin: 0; display: grid; grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr);
      background: var(--paper); color: var(--text); font: 13px/1.45 system-ui, "Liberation Sans", sans-serif;
    }
    button, input, select {
      font: inherit; color: inherit; background: var(--paper); padding: 2px 9px; border: 1px solid var(--line);
      border-radius: 6px;
    }
    button, select { cursor: pointer; } button:hover { border-color: var(--dim); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    header {
      display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 10px 16px;
      background: var(--panel); border-bottom: 1px solid var(--line);
    }
    h1 { margin: 0; font-size: 15px; font-weight: 600; overflow-wrap: anywhere; max-width: 60ch; }
    #summary { margin: 0; color: var(--dim); flex: 1; white-space: nowrap; }
    #search { width: 20ch; } #count { min-width: 11ch; }
    .chip { display: inline-flex; align-items: center; gap: 6px; border-radius: 99px; }
    .chip[aria-pressed=true] { background: var(--chosen); border-color: var(--accent); }
    /* The shape says the state, too, for readers who cannot tell the colours apart. */
    .mark { flex: none; display: inline-block; width: 9px; height: 9px; border-radius: 50%; border: 2px solid; }
    .mark.fulfilled { color: var(--fulfilled); background: currentColor; }
    .mark.rejected { color: var(--rejected); background: currentColor; border-radius: 0; rotate: 45deg; scale: .8; }
    .mark.cancelled {
      color: var(--cancelled);
      background: linear-gradient(45deg, transparent 36%, currentColor 36%, currentColor 64%, transparent 64%);
    }
    .mark.pending { color: var(--pending); } .mark.observer, .mark.unknown { color: var(--observer); scale: .6; }
    main { display: grid; grid-template-columns: minmax(0, 1fr) 380px; min-height: 0; }
    #board { display: grid; grid-template-rows: 44px 24px auto minmax(0, 1fr); min-height: 0; }
    .band {
      display: grid; grid-template: minmax(0, 1fr) / var(--names) minmax(0, 1fr); min-height: 0;
      border-bottom: 1px solid var(--line); padding-right: var(--bar);
    }
    .band > :first-child { padding: 0 12px; display: flex; align-items: center; gap: 8px; color: var(--dim); }
    canvas { display: block; width: 100%; height: 100%; }
    #lanes { max-height: 134px; border-bottom: 1px solid var(--line); background: var(--panel); cursor: pointer; }
    #lanes, #scroller {
      overflow: hidden scroll; min-height: 0; scrollbar-width: thin; scrollbar-color: var(--line) transparent;
    }
    #view { position: sticky; top: 0; height: 100%; display: grid; grid-template-columns: var(--names) minmax(0, 1fr); }
    #tree { position: relative; overflow: hidden; border-right: 1px solid var(--line); }
    #tree:focus-visible { outline-offset: -2px; }
    #zoom { margin-left: auto; } #bars { cursor: pointer; } #overview { cursor: crosshair; }
    .row { position: absolute; left: 0; right: 0; height: 24px; padding-right: 10px; white-space: nowrap; }
    .row:hover { background: var(--panel); }
    .row[aria-selected=true], li[aria-current] > button, li > button:hover { background: var(--chosen); }
    .row.aside { opacity: .55; }
    .fold { flex: none; width: 14px; text-align: center; color: var(--dim); cursor: pointer; }
    .name, .place { overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
    .operation, .place, #hint, #count, footer, dt { color: var(--dim); }
    .place { margin-left: auto; padding-left: 12px; font-size: 12px; min-width: 9ch; text-align: right; }
    aside { border-left: 1px solid var(--line); overflow: auto; padding: 14px 16px 24px; background: var(--panel); }
    aside h2 { margin: 0 0 2px; font-size: 15px; }
    h2, dd, pre { overflow-wrap: anywhere; unicode-bidi: isolate; }
    aside h3 { margin: 18px 0 5px; font-size: 12px; font-weight: 600; color: var(--dim); }
    header > div, .row, .state, li > button, li > span { display: flex; align-items: center; gap: 7px; }
    dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 3px 14px; margin: 12px 0 0; }
    dd { margin: 0; } aside p { margin: 4px 0; }
    pre {
      margin: 0; padding: 8px 10px; background: var(--paper); border: 1px solid var(--line); border-radius: 6px;
      font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; max-height: 240px; overflow: auto;
    }
    ul { list-style: none; margin: 0; padding: 0; } li { padding-left: calc(var(--depth, 0) * 14px); }
    li > button, li > span { width: 100%; padding: 3px 6px; border: 0; background: none; text-align: left; }
    li .place { min-width: 0; }
    footer { padding: 5px 16px; border-top: 1px solid var(--line); font-size: 12px; }
    footer span { margin-right: 18px; white-space: nowrap; }
    kbd { font: inherit; border: 1px solid var(--line); border-radius: 4px; padding: 0 5px; background: var(--panel); }
    @media (max-width: 900px) {
      main { grid-template: minmax(0, 3fr) minmax(0, 2fr) / minmax(0, 1fr); }
      aside { border-left: 0; border-top: 1px solid var(--line); }
    }
    """#
}
