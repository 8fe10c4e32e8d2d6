import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { KeptRunInfo } from '@x/records'
import { colourOf } from './colours.ts'
import { Icon } from './icons.tsx'

const OUTCOME_WORDS = {
  ok: 'done',
  error: 'failed',
  aborted: 'stopped',
  suspended: 'waits',
  running: 'running',
  interrupted: 'cut off',
} as const

/** How a run or a step stands. */
export type Outcome = keyof typeof OUTCOME_WORDS

/** Says how a run or a step stands: a shape, a colour and a word. */
export function OutcomeMark({
  outcome,
  short = false,
}: {
  readonly outcome: Outcome
  readonly short?: boolean
}): JSX.Element {
  const word = OUTCOME_WORDS[outcome]
  return (
    <span class={`outcome ${outcome}`} title={word}>
      <i aria-hidden="true" />
      <span class={short ? 'hidden' : ''}>{word}</span>
    </span>
  )
}

/** Milliseconds after which a run without an end is taken for one whose process has ended. */
const SILENT_MS = 10 * 60_000

/** Returns how a run stands. */
export function outcomeOf({ outcome, last }: KeptRunInfo): Outcome {
  return outcome ?? (Date.now() - last > SILENT_MS ? 'interrupted' : 'running')
}

/** Shows the name of an agent in its colour. */
export function AgentName({
  agents,
  agent,
}: {
  readonly agents: readonly string[]
  readonly agent: string
}): JSX.Element {
  const colour = colourOf(agents, agent)
  return (
    <span class="agent" data-colour={colour ?? 'none'}>
      <i aria-hidden="true" />
      {agent}
    </span>
  )
}

/** Copies a text; says so for a moment. Without TLS, a page of another machine has no clipboard. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string
  readonly label?: string
}): JSX.Element | null {
  const [isCopied, setCopied] = useState(false)
  if (!isSecureContext) return null
  return (
    <button
      type="button"
      class="quiet small"
      aria-label={label === '' ? 'Copy' : undefined}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setCopied(true)
          setTimeout(() => setCopied(false), 1500)
        })
      }}
    >
      <Icon name={isCopied ? 'check' : 'copy'} /> {isCopied && label ? 'Copied' : label}
    </button>
  )
}

/** Shows one fact under its name; a rare one is left out where there is little room. */
export function Fact({
  name,
  children,
  rare = false,
}: {
  readonly name: string
  readonly children: ComponentChildren
  readonly rare?: boolean
}): JSX.Element {
  return (
    <div class={rare ? 'fact rare' : 'fact'}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Says that there is nothing, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <svg viewBox="0 0 64 64" aria-hidden="true">
        <path d="M12 22h24M12 32h40M24 42h28" />
      </svg>
      <h2>{title}</h2>
      {children}
    </div>
  )
}
