/** The script of the page: builds the tree, opens and closes nodes, shows the selected node. Sets all texts as text. */
export const SCRIPT = `
const data = JSON.parse(document.getElementById('data').textContent)
const make = (tag, name, text) => { const el = document.createElement(tag); if (name) el.className = name; if (text !== undefined) el.textContent = text; return el }
const worth = (n) => n === null ? '–' : n.toFixed(2)
const heat = (n) => n === null ? '' : 'hsl(' + Math.round(n * 120) + ' 65% 78%)'
const nodes = new Map()
function item(node, level) {
  const li = make('li', (node.best ? 'best ' : '') + node.fate)
  li.setAttribute('role', 'treeitem'); li.setAttribute('aria-level', level); li.tabIndex = -1
  nodes.set(li, node)
  const row = make('div', 'row')
  const chip = make('span', 'worth', node.root ? 'Q' : worth(node.worth)); chip.style.background = heat(node.worth)
  row.append(make('span', 'twig'), chip, make('span', 'text', node.content.split('\\n')[0]))
  li.append(row)
  if (node.children.length) {
    const group = make('ul'); group.setAttribute('role', 'group')
    for (const child of node.children) group.append(item(child, level + 1))
    li.append(group); open(li, node.best || node.root)
  }
  return li
}
const kids = (li) => li.querySelector(':scope > ul')
function open(li, on) { const ul = kids(li); if (!ul) return; ul.hidden = !on; li.setAttribute('aria-expanded', on); li.querySelector('.twig').textContent = on ? '▾' : '▸' }
const pane = document.querySelector('aside')
let chosen = null
function choose(li, focus) {
  if (chosen) { chosen.removeAttribute('aria-selected'); chosen.tabIndex = -1 }
  chosen = li; li.setAttribute('aria-selected', 'true'); li.tabIndex = 0
  if (focus) { li.focus(); li.querySelector('.row').scrollIntoView({ block: 'nearest' }) }
  const node = nodes.get(li); const dl = make('dl')
  const facts = [[node.root ? 'Question' : node.fate === 'answer' ? 'Answer' : 'Step', node.content], ['Grade', node.root && node.grade === null ? '' : worth(node.grade)], ['The grader said', node.details], ['Output', node.output], ['Reflection', node.reflection], ['Visits', node.visits ? node.visits + ', mean reward ' + worth(node.value) : ''], ['State', node.fate], ['Node', node.id]]
  for (const [name, text] of facts) if (text) dl.append(make('dt', '', name), make('dd', '', text))
  pane.replaceChildren(dl)
}
const tree = document.querySelector('[role=tree]')
for (const root of data.trees) tree.append(item(root, 1))
const shown = () => [...tree.querySelectorAll('li')].filter((li) => !li.parentElement.closest('ul[hidden]'))
tree.addEventListener('click', (event) => {
  const li = event.target.closest('li'); if (!li) return
  if (event.target.closest('.twig') || li === chosen) open(li, kids(li)?.hidden)
  choose(li, true)
})
tree.addEventListener('keydown', (event) => {
  const list = shown(); const at = list.indexOf(chosen); const ul = kids(chosen)
  const moves = {
    ArrowDown: () => list[at + 1], ArrowUp: () => list[at - 1], Home: () => list[0], End: () => list.at(-1),
    ArrowRight: () => ul && (ul.hidden ? open(chosen, true) : ul.firstElementChild),
    ArrowLeft: () => ul && !ul.hidden ? open(chosen, false) : chosen.parentElement.closest('li'),
    Enter: () => open(chosen, ul?.hidden), ' ': () => open(chosen, ul?.hidden),
  }
  const move = moves[event.key]; if (!move) return
  event.preventDefault(); choose(move() || chosen, true)
})
const all = [...tree.querySelectorAll('li')]
document.getElementById('open').addEventListener('click', () => all.forEach((li) => open(li, true)))
document.getElementById('close').addEventListener('click', () => { all.forEach((li) => open(li, nodes.get(li).root)); choose(all[0], true) })
document.getElementById('best').addEventListener('click', () => { all.forEach((li) => open(li, nodes.get(li).best || nodes.get(li).root)); choose(all.filter((li) => nodes.get(li).best).at(-1) || all[0], true) })
choose(all.filter((li) => nodes.get(li).best).at(-1) || all[0], true)
`
