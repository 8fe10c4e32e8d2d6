import type { JsonSchema, Tool, ToolIssue } from '@x/interfaces'
import { validatorFor } from '@x/kernel/schema'
import { isDeepEqual } from '../scorers/schema.ts'
import type { EvalTask, Scorer, World } from '../task.ts'
import { Dice } from './dice.ts'

const SITES = ['north', 'south', 'east', 'west'] as const
const ITEMS = ['bolts', 'cables', 'lamps', 'pipes', 'pumps', 'valves'] as const

/** Stock by site and item. */
type Stock = Record<string, Record<string, number>>

/** The state of the world: what lies where, and what was ordered. */
interface WarehouseState {
  readonly stock: Stock
  readonly orders: { readonly item: string; readonly count: number }[]
}

/** Makes a task that is done by tools in a simulated warehouse: its state afterwards is compared. */
export function warehouse(id: string, seed: string): EvalTask {
  const dice = new Dice(seed)
  for (;;) {
    const sites = dice.some(SITES, 3)
    const items = dice.some(ITEMS, 4)
    const stock: Stock = Object.fromEntries(
      sites.map((site) => [site, Object.fromEntries(items.map((item) => [item, dice.whole(0, 40)]))]),
    )
    const state: WarehouseState = { stock, orders: [] }
    const expected = structuredClone(state)
    const errands = dice.some([gather, level, refill, swap], 2).map((errand) => errand(dice, expected))
    // Whoever does nothing must not be right.
    if (!isDeepEqual(state, expected)) return taskOf(id, { state, expected, errands })
  }
}

function taskOf(
  id: string,
  {
    state,
    expected,
    errands,
  }: { readonly state: WarehouseState; readonly expected: WarehouseState; readonly errands: readonly string[] },
): EvalTask {
  const sites = Object.keys(state.stock)
  const input = `You run a warehouse with the sites ${sites.join(', ')}; use the tools. ${errands.map((errand, index) => `(${index + 1}) ${errand}`).join(' ')} Do these in this order, and change nothing else. End with a line \`Answer: done\`.`
  return {
    id,
    input,
    kind: 'tools',
    expected,
    scorer: isStateReached,
    world: () => warehouseWorld(structuredClone(state)),
  }
}

const isStateReached: Scorer = Object.assign(
  (({ task, state }) => {
    const isReached = isDeepEqual(state, task.expected)
    return { score: isReached, ...(!isReached && { reason: 'the world is in another state than the wanted one' }) }
  }) satisfies Scorer,
  { title: 'state' },
)

/** Does an errand in the state, and returns its words. */
type Errand = (dice: Dice, state: WarehouseState) => string

const gather: Errand = (dice, { stock }) => {
  const [item, to] = [itemOf(dice, stock), siteOf(dice, stock)]
  for (const from of Object.keys(stock)) if (from !== to) move(stock, item, [from, to], stock[from]![item]!)
  return `Move all ${item} to ${to}.`
}

const level: Errand = (dice, { stock }) => {
  const item = itemOf(dice, stock)
  const [most] = Object.keys(stock).toSorted(
    (one, other) => stock[other]![item]! - stock[one]![item]! || (one < other ? -1 : 1),
  )
  const [least] = Object.keys(stock).toSorted(
    (one, other) => stock[one]![item]! - stock[other]![item]! || (one < other ? -1 : 1),
  )
  if (most === least) return `Count the ${item}, and move nothing.`
  move(stock, item, [most!, least!], Math.floor((stock[most!]![item]! - stock[least!]![item]!) / 2))
  return `Find the site with the most ${item} and the one with the fewest (of equal ones the first in the alphabet); move half of the difference from the first to the second, rounded down.`
}

const refill: Errand = (dice, { stock, orders }) => {
  const [item, wanted] = [itemOf(dice, stock), dice.whole(60, 150)]
  const total = Object.values(stock).reduce((sum, each) => sum + each[item]!, 0)
  if (total < wanted) orders.push({ item, count: wanted - total })
  return `If there are fewer than ${wanted} ${item} in all sites together, order as many as are missing to ${wanted}, in one order.`
}

const swap: Errand = (dice, { stock }) => {
  const [one, other] = dice.some(Object.keys(stock), 2) as [string, string]
  const [first, second] = dice.some(Object.keys(stock[one]!), 2) as [string, string]
  const [there, back] = [stock[one]![first]!, stock[other]![second]!]
  move(stock, first, [one, other], there)
  move(stock, second, [other, one], back)
  return `Move all ${first} from ${one} to ${other}, and all ${second} from ${other} to ${one}.`
}

const siteOf = (dice: Dice, stock: Stock): string => dice.one(Object.keys(stock))

const itemOf = (dice: Dice, stock: Stock): string => dice.one(Object.keys(Object.values(stock)[0]!))

function move(stock: Stock, item: string, [from, to]: readonly [string, string], count: number): void {
  stock[from]![item]! -= count
  stock[to]![item]! += count
}

function warehouseWorld(state: WarehouseState): World {
  const { stock, orders } = state
  const site = { enum: Object.keys(stock) }
  const item = { enum: Object.keys(Object.values(stock)[0]!) }
  const count = { type: 'integer', minimum: 1, maximum: 1000 }
  const tools = [
    worldTool('count_stock', 'Returns what lies at a site.', { site }, (args) => ({
      ...stock[args['site'] as string],
    })),
    worldTool('move_items', 'Moves items from one site to another.', { item, from: site, to: site, count }, (args) => {
      const [what, from, to, many] = [args['item'], args['from'], args['to'], args['count']] as [
        string,
        string,
        string,
        number,
      ]
      if (from === to) return 'refused: the sites are the same'
      if (stock[from]![what]! < many) return `refused: there are ${stock[from]![what]} ${what} at ${from}`
      move(stock, what, [from, to], many)
      return 'moved'
    }),
    worldTool('order_items', 'Orders items from a supplier. They come later.', { item, count }, (args) => {
      orders.push({ item: args['item'] as string, count: args['count'] as number })
      return 'ordered'
    }),
  ]
  return { tools, state: () => structuredClone(state) as unknown as ReturnType<World['state']> }
}

/** Makes a tool whose arguments are checked: those of models may be anything. */
function worldTool(
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  act: (args: Readonly<Record<string, unknown>>) => unknown,
): Tool {
  const parameters = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
  const check = validatorFor(parameters)
  const validate = (args: unknown): { value: unknown } | { issues: readonly ToolIssue[] } => check(args)
  const execute = (args: unknown): unknown => {
    const checked = check(args)
    if ('issues' in checked) return `refused: ${checked.issues.map(({ message }) => message).join('; ')}`
    return act(checked.value as Readonly<Record<string, unknown>>)
  }
  return { name, description, parameters, validate, execute }
}
