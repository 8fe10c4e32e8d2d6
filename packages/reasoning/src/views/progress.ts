import type { SearchEvent, SearchUsage } from '@x/interfaces'
import { shortened, shown } from './marks.ts'

/** Follows a search by its events and says in one line how far it is: calls, tokens, cost, nodes, best so far. */
export class SearchProgress {
  readonly used: SearchUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
  nodes = 0
  running = 0
  failures = 0
  #best: { content: string; grade: number | null } | null = null
  readonly #contents = new Map<string, string>()

  /** Takes an event in. */
  take(event: SearchEvent): void {
    switch (event.type) {
      case 'jobStart':
        this.running += 1
        break
      case 'jobEnd':
        this.running -= 1
        this.failures += event.failure === null ? 0 : 1
        for (const key of ['calls', 'promptTokens', 'completionTokens', 'cost'] as const)
          this.used[key] += event.used[key]
        break
      case 'nodeAdd':
        this.nodes += 1
        this.#contents.set(event.node, event.content)
        break
      case 'bestChange': {
        const content = event.text ?? this.#contents.get(event.node ?? '')
        this.#best = content === undefined ? null : { content, grade: event.grade }
        break
      }
      case 'searchEnd':
        this.running = 0
        break
      case 'searchStart':
      case 'nodeGrade':
      case 'nodeFate':
    }
  }

  /** The line, at most `width` columns wide. */
  line(width: number = 100): string {
    const { calls, promptTokens, completionTokens, cost } = this.used
    const tokens = promptTokens + completionTokens
    const parts = [
      `${calls} calls${this.running > 0 ? ` (+${this.running})` : ''}`,
      `${tokens < 10_000 ? tokens : `${Math.round(tokens / 1000)}k`} tokens`,
      cost > 0 ? `$${cost.toFixed(4)}` : '',
      `${this.nodes} nodes`,
      this.failures > 0 ? `${this.failures} failed` : '',
      this.#best ? `best ${shown(this.#best.grade)} ${this.#best.content}` : '',
    ]
    return shortened(parts.filter((part) => part !== '').join(' · '), width)
  }
}
