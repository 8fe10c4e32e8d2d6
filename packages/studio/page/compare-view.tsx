import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RunFuture } from '../src/protocol.ts'
import { api } from './api.ts'
import { costText, durationText, plainText, shortId, shortNumber } from './format.ts'
import { TextDifference } from './messages.tsx'
import { RichText } from './rich-text.tsx'
import { AgentName, Empty, OutcomeMark, outcomeOf } from './shared.tsx'

/** Puts runs side by side: what is equal in all of them once, and then each one's own way. */
export function CompareView({ runIds }: { readonly runIds: readonly string[] }): JSX.Element {
  const [futures, setFutures] = useState<readonly RunFuture[] | null>(null)
  const [error, setError] = useState('')
  useEffect(() => {
    api.futures(runIds).then(setFutures, (failure: Error) => setError(failure.message))
  }, [runIds.join()])
  if (error)
    return (
      <Empty title="These runs cannot be compared">
        <p role="alert">{error}</p>
      </Empty>
    )
  if (!futures) return <p class="loading">Reading the runs …</p>
  if (futures.length < 2) {
    return (
      <Empty title="Choose two runs">
        <p>
          Tick runs in <a href="#/runs">the list</a>, or go on from a step of a run, to put them side by side.
        </p>
      </Empty>
    )
  }
  const shared = sharedLength(futures)
  const first = futures[0]!
  const agents = [...new Set(futures.flatMap(({ said }) => said.map(({ who }) => who)))]
  return (
    <div class="compare">
      <h1>Side by side</h1>
      {shared > 0 && (
        <details class="same">
          <summary>The first {shared === 1 ? 'message is' : `${shared} messages are`} the same in all</summary>
          {first.said.slice(0, shared).map(({ who, text }, index) => (
            <article key={index} class="said">
              <AgentName agents={agents} agent={who} />
              <RichText text={text} />
            </article>
          ))}
        </details>
      )}
      <div class="columns" style={{ '--columns': String(futures.length) }}>
        {futures.map((future, column) => (
          <Column key={future.info.runId} {...{ future, agents, shared }} other={column === 0 ? null : first} />
        ))}
      </div>
    </div>
  )
}

function Column({
  future: { info, said },
  agents,
  shared,
  other,
}: {
  readonly future: RunFuture
  readonly agents: readonly string[]
  readonly shared: number
  readonly other: RunFuture | null
}): JSX.Element {
  const tokens = info.spent.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0)
  return (
    <section>
      <header>
        <a href={`#/runs/${encodeURIComponent(info.runId)}`}>
          <b>{shortId(info.runId)}</b>
        </a>
        <OutcomeMark outcome={outcomeOf(info)} />
        <p class="under">
          {info.parent && <span>fork at {info.parent.place ?? 'its end'}</span>}
          <span>{durationText(info.last - info.began)}</span>
          <span>{shortNumber(tokens)} tok</span>
          <span>{costText(info.spent)}</span>
        </p>
      </header>
      {said.slice(shared).map(({ who, text }, index) => {
        const twin = other?.said[shared + index]
        const isChanged = twin !== undefined && twin.who === who && twin.text !== text
        return (
          <article key={index} class={twin && !isChanged && twin.text === text ? 'said equal' : 'said'}>
            <AgentName agents={agents} agent={who} />
            {isChanged ? <PlainDifference before={twin.text} after={text} /> : <RichText text={text} />}
          </article>
        )
      })}
      {said.length === shared && <p class="hint">Nothing more was said.</p>}
    </section>
  )
}

/** Marks the words that differ; marks of Markdown are left out unless they are all that differs. */
function PlainDifference({ before, after }: { readonly before: string; readonly after: string }): JSX.Element {
  const [one, other] = [plainText(before), plainText(after)]
  return one === other ? (
    <TextDifference before={before} after={after} />
  ) : (
    <TextDifference before={one} after={other} />
  )
}

function sharedLength(futures: readonly RunFuture[]): number {
  const [first, ...others] = futures
  let length = 0
  for (const { who, text } of first!.said) {
    if (others.some(({ said }) => said[length]?.who !== who || said[length]?.text !== text)) break
    length++
  }
  return length
}
