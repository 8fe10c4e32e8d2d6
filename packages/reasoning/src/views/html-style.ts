/** The style of the page: light and dark, colours by value, a details pane that stays in view. */
export const STYLE = `
:root { color-scheme: light dark; --fg: #1c1c1e; --dim: #6e6e73; --bg: #fbfbfd; --card: #fff; --line: #d9d9de; --mark: #0a63c9; --pick: #e3eefb; }
@media (prefers-color-scheme: dark) { :root { --fg: #ececf0; --dim: #9a9aa2; --bg: #17171a; --card: #212126; --line: #3a3a42; --mark: #6cb0ff; --pick: #24364c; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: var(--fg); background: var(--bg); display: grid; grid-template: auto 1fr / minmax(0, 3fr) minmax(18rem, 2fr); height: 100vh; }
header { grid-column: 1 / -1; padding: .9rem 1.2rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.05rem; margin: 0 0 .35rem; font-weight: 600; }
header p { margin: 0; color: var(--dim); }
header strong { color: var(--fg); }
main { overflow: auto; padding: .8rem 1.2rem 3rem; }
aside { overflow: auto; padding: 1rem 1.2rem; border-left: 1px solid var(--line); background: var(--card); }
.tools { margin: .6rem 0 0; display: flex; gap: .5rem; flex-wrap: wrap; }
h2 { font-size: .95rem; margin: 0 0 .5rem; }
main.two { display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem; }
main.two > section { min-width: 0; overflow: auto; }
section > ul { min-width: min-content; }
[hidden] { display: none !important; }
output { color: var(--dim); font-size: .85rem; }
#playback { display: inline-flex; gap: .5rem; align-items: center; }
.hit > .row .text { background: color-mix(in srgb, #ffd54a 45%, transparent); }
button, select, input[type=search] { font: inherit; font-size: .85rem; padding: .15rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--fg); cursor: pointer; }
ul { list-style: none; margin: 0; padding-left: 1.25rem; border-left: 1px solid var(--line); }
ul[role=tree] { padding-left: 0; border: 0; }
.row { display: flex; gap: .5rem; align-items: baseline; padding: .12rem .4rem; border-radius: 6px; cursor: pointer; white-space: nowrap; }
.row:hover { background: color-mix(in srgb, var(--pick) 55%, transparent); }
[aria-selected=true] > .row { background: var(--pick); }
li:focus { outline: none; }
li:focus-visible > .row { outline: 2px solid var(--mark); }
.twig { width: .8rem; color: var(--dim); flex: none; }
.worth { font-variant-numeric: tabular-nums; font-size: .8rem; min-width: 2.9rem; text-align: center; border-radius: 5px; padding: 0 .3rem; flex: none; color: #1c1c1e; background: #ececf0; }
.text { overflow: hidden; text-overflow: ellipsis; }
.best > .row .text { font-weight: 600; }
.best > .row .text::before { content: "★ "; color: var(--mark); }
.pruned > .row .text { color: var(--dim); }
.failed > .row .text { color: #c62828; }
.answer > .row .text { font-style: italic; }
dl { margin: 0; }
dt { color: var(--dim); font-size: .8rem; margin-top: .9rem; }
dd { margin: .1rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 50rem) { body { grid-template: auto 1fr 40vh / 1fr; } aside { border-left: 0; border-top: 1px solid var(--line); } }
`
