/** The style of the page: light and dark, colours by value, a details pane that stays in view. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --fg: #1c1c1e; --dim: #6e6e73; --bg: #fbfbfd; --card: #fff; --line: #d9d9de; --mark: #0a63c9; --pick: #e3eefb; }
@media (prefers-color-scheme: dark) { :root { --fg: #ececf0; --dim: #9a9aa2; --bg: #17171a; --card: #212126; --line: #3a3a42; --mark: #6cb0ff; --pick: #24364c; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: var(--fg); background: var(--bg); display: grid; grid-template: auto 1fr / minmax(0, 3fr) minmax(18rem, 2fr); height: 100vh; }
header { grid-column: 1 / -1; padding: .9rem 1.2rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.05rem; margin: 0 0 .35rem; font-weight: 600; }
h1, header strong { display: -webkit-inline-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; vertical-align: bottom; }
header, h2 { overflow-wrap: anywhere; }
h1, h2, strong, .text, dd { unicode-bidi: plaintext; }
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
.text { flex: 1; min-width: 8rem; contain: inline-size; overflow: hidden; text-overflow: ellipsis; }
.best > .row .text { font-weight: 600; }
.best > .row .text::before { content: "★ "; color: var(--mark); }
.pruned > .row .text { color: var(--dim); }
.failed > .row .text { color: #c62828; }
.answer > .row .text { font-style: italic; }
dl { margin: 0; }
dt { color: var(--dim); font-size: .8rem; margin-top: .9rem; }
dd { margin: .1rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 50rem) { body { grid-template: auto 1fr 40vh / minmax(0, 1fr); } aside { border-left: 0; border-top: 1px solid var(--line); } }
`

/** The script of the page: builds the trees, opens, searches, filters and plays back. Sets all texts as text. */
export const PAGE_SCRIPT = `
const data = JSON.parse(document.getElementById('data').textContent)
const byId = (id) => document.getElementById(id)
const make = (tag, name, text) => { const el = document.createElement(tag); if (name) el.className = name; if (text !== undefined) el.textContent = text; return el }
const worth = (n) => n === null ? '–' : n.toFixed(2)
const heat = (n) => n === null ? '' : 'hsl(' + Math.round(n * 120) + ' 65% 78%)'
const nodes = new Map()
function item(run, node, level) {
  const li = make('li')
  li.setAttribute('role', 'treeitem'); li.setAttribute('aria-level', level); li.tabIndex = -1
  nodes.set(li, { run, node }); run.items.set(node.id, li)
  const row = make('div', 'row')
  row.append(make('span', 'twig'), make('span', 'worth'), make('span', 'text', node.content.split('\\n')[0]))
  li.append(row); paint(li, node.worth, node.fate)
  if (node.children.length) {
    const group = make('ul'); group.setAttribute('role', 'group')
    for (const child of node.children) group.append(item(run, child, level + 1))
    li.append(group); open(li, node.isBest || node.isRoot)
  }
  return li
}
function paint(li, value, fate) {
  const { node } = nodes.get(li)
  li.className = (node.isBest ? 'best ' : '') + fate
  const chip = li.querySelector('.worth'); chip.textContent = node.isRoot ? 'Q' : worth(value); chip.style.background = heat(value)
}
const kids = (li) => li.querySelector(':scope > ul')
function open(li, on) { const ul = kids(li); if (!ul) return; ul.hidden = !on; li.setAttribute('aria-expanded', on); li.querySelector('.twig').textContent = on ? '▾' : '▸' }
const pane = document.querySelector('aside')
let chosen = null
function choose(li, focus) {
  if (chosen) { chosen.removeAttribute('aria-selected'); chosen.tabIndex = -1 }
  chosen = li; li.setAttribute('aria-selected', 'true'); li.tabIndex = 0
  if (focus) { li.focus(); li.querySelector('.row').scrollIntoView({ block: 'nearest' }) }
  const { node, run } = nodes.get(li); const used = run.usage[node.id]; const dl = make('dl')
  const cost = used ? +used.calls.toFixed(2) + ' calls, ' + Math.round(used.tokens) + ' tokens' : ''
  const facts = [[node.isRoot ? 'Question' : node.fate === 'answer' ? 'Answer' : 'Step', node.content], ['Grade', node.isRoot && node.grade === null ? '' : worth(node.grade)], ['The grader said', node.details], ['Output', node.output], ['Reflection', node.reflection], ['Visits', node.visits ? node.visits + ', mean reward ' + worth(node.value) : ''], ['Cost', cost], ['State', node.fate], ['Node', node.id]]
  for (const [name, text] of facts) if (text) dl.append(make('dt', '', name), make('dd', '', text))
  pane.replaceChildren(dl)
}
const main = document.querySelector('main')
for (const run of data.runs) {
  run.items = new Map()
  const part = make('section'); const tree = make('ul')
  if (data.runs.length > 1) part.append(make('h2', '', run.title || 'Run ' + (data.runs.indexOf(run) + 1)))
  tree.setAttribute('role', 'tree'); tree.setAttribute('aria-label', run.title || 'Tree of thoughts')
  for (const root of run.trees) tree.append(item(run, root, 1))
  part.append(tree); main.append(part)
}
const all = [...main.querySelectorAll('li')]
const isShown = (li) => !li.hidden && !li.parentElement.closest('ul[hidden], li[hidden]')
main.addEventListener('click', (event) => {
  const li = event.target.closest('li'); if (!li) return
  if (event.target.closest('.twig') || li === chosen) open(li, kids(li)?.hidden)
  choose(li, true)
})
main.addEventListener('keydown', (event) => {
  const list = all.filter(isShown); const at = list.indexOf(chosen); const ul = kids(chosen)
  const moves = {
    ArrowDown: () => list[at + 1], ArrowUp: () => list[at - 1], Home: () => list[0], End: () => list.at(-1),
    ArrowRight: () => ul && (ul.hidden ? open(chosen, true) : [...ul.children].find(isShown)),
    ArrowLeft: () => ul && !ul.hidden ? open(chosen, false) : chosen.parentElement.closest('li'),
    Enter: () => open(chosen, ul?.hidden), ' ': () => open(chosen, ul?.hidden),
  }
  const move = moves[event.key]; if (!move) return
  event.preventDefault(); choose(move() || chosen, true)
})
const ends = all.filter((li) => nodes.get(li).node.isBest)
byId('open').addEventListener('click', () => all.forEach((li) => open(li, true)))
byId('close').addEventListener('click', () => { all.forEach((li) => open(li, nodes.get(li).node.isRoot)); choose(all[0], true) })
byId('best').addEventListener('click', () => { all.forEach((li) => open(li, nodes.get(li).node.isBest || nodes.get(li).node.isRoot)); choose(ends.at(-1) || all[0], true) })
const FILTERS = { best: (n) => n.isBest, answer: (n) => n.fate === 'answer', good: (n) => n.worth >= 0.7, pruned: (n) => n.fate === 'pruned', failed: (n) => n.fate === 'failed' }
let added = null
function sift() {
  const wanted = byId('search').value.trim().toLowerCase(); const test = FILTERS[byId('filter').value]; let count = 0
  const isWanted = (n) => (!test || test(n)) && (!wanted || [n.content, n.details, n.output, n.reflection].some((text) => text && text.toLowerCase().includes(wanted)))
  for (const li of all.toReversed()) {
    const { node } = nodes.get(li); const ul = kids(li)
    const isThere = !added || added.has(li); const hit = isThere && isWanted(node)
    const below = !!ul && [...ul.children].some((child) => !child.hidden)
    if (hit) count++
    li.hidden = !isThere || !(hit || below || node.isRoot)
    li.classList.toggle('hit', hit && !!(wanted || test))
    if ((wanted || test) && below) open(li, true)
  }
  byId('count').textContent = wanted || test ? count + (count === 1 ? ' node' : ' nodes') : ''
}
byId('search').addEventListener('input', sift)
byId('filter').addEventListener('change', sift)
const most = Math.max(...data.runs.map((run) => run.steps.length)); const range = byId('step')
function goTo(step) {
  range.value = step; byId('at').textContent = step + ' / ' + most
  added = step >= most ? null : new Set()
  for (const run of data.runs) {
    if (!added) { for (const li of run.items.values()) paint(li, nodes.get(li).node.worth, nodes.get(li).node.fate); continue }
    const state = new Map()
    for (const [id, what, value] of run.steps.slice(0, step)) {
      if (what === 'add') state.set(id, { grade: null, fate: 'open' }); else if (state.has(id)) state.get(id)[what] = value
    }
    for (const [id, { grade, fate }] of state) { const li = run.items.get(id); added.add(li); paint(li, grade, fate); if (kids(li)) open(li, true) }
  }
  sift()
}
let timer = null
function stop() { clearInterval(timer); timer = null; byId('play').textContent = 'Play' }
if (most > 0) {
  byId('playback').hidden = false; range.max = most; range.value = most; byId('at').textContent = most + ' / ' + most
  range.addEventListener('input', () => { stop(); goTo(+range.value) })
  byId('play').addEventListener('click', () => {
    if (timer) return stop()
    if (+range.value >= most) goTo(0)
    byId('play').textContent = 'Pause'
    timer = setInterval(() => { goTo(+range.value + 1); if (+range.value >= most) stop() }, Math.max(30, 6000 / most))
  })
}
choose(ends.at(-1) || all[0], true)
`
