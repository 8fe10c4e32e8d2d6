import type { AskedTask } from '../task.ts'

/** Does the errands of a task of `tools` by its tools, from its words alone. */
export function solveTools({ input, tools }: Pick<AskedTask, 'input' | 'tools'>): string {
  const call = (name: string, args: object): unknown =>
    (tools.find((each) => each.name === name)!.execute as (args: object, context: object) => unknown)(args, {})
  const sites = /with the sites ([a-z, ]+);/u.exec(input)![1]!.split(', ')
  const count = (site: string, item: string): number => (call('count_stock', { site }) as Record<string, number>)[item]!
  const move = (item: string, from: string, to: string, many: number): void => {
    if (many > 0) call('move_items', { item, from, to, count: many })
  }
  for (const errand of input.split(/ \(\d\) /u).slice(1)) {
    const gather = /^Move all (\w+) to (\w+)\./u.exec(errand)
    const level = /the site with the most (\w+)/u.exec(errand)
    const refill = /fewer than (\d+) (\w+) in all/u.exec(errand)
    const swap = /^Move all (\w+) from (\w+) to (\w+), and all (\w+) from/u.exec(errand)
    if (gather)
      for (const site of sites) if (site !== gather[2]) move(gather[1]!, site, gather[2]!, count(site, gather[1]!))
    if (level) {
      const item = level[1]!
      const byName = sites.toSorted()
      const most = byName.reduce((one, other) => (count(other, item) > count(one, item) ? other : one))
      const least = byName.reduce((one, other) => (count(other, item) < count(one, item) ? other : one))
      move(item, most, least, Math.floor((count(most, item) - count(least, item)) / 2))
    }
    if (refill) {
      const [, wanted, item] = refill
      const missing = Number(wanted) - sites.reduce((sum, site) => sum + count(site, item!), 0)
      if (missing > 0) call('order_items', { item, count: missing })
    }
    if (swap) {
      const [, first, one, other, second] = swap as unknown as string[]
      const back = count(other!, second!)
      move(first!, one!, other!, count(one!, first!))
      move(second!, other!, one!, back)
    }
  }
  return 'Answer: done'
}
