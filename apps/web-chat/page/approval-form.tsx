import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ApprovalField } from '../src/approval-fields.ts'
import type { ToolItem } from '../src/item.ts'
import { AgentName } from './parts.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** What a person decides on a call. */
export type Decision =
  | { readonly allow: true; readonly arguments?: Readonly<Record<string, unknown>> }
  | { readonly allow: false; readonly reason?: string }

interface ApprovalFormProps {
  readonly item: ToolItem
  readonly approval: string
  readonly members: readonly string[]
  readonly decide: (decision: Decision) => void
}

/** The form of a pending call: a field for each argument, and both decisions. An unchanged form allows the call as it is. */
export function ApprovalForm({ item, approval, members, decide }: ApprovalFormProps): JSX.Element {
  const reason = useRef<HTMLInputElement>(null)
  // Another state of the call must not change what the form was made of.
  const { current: fields } = useRef(item.fields ?? [])
  const begun = useRef<readonly string[]>([])
  const idOf = (name: string): string => `field-${approval}-${name}`
  const control = (name: string): Control => document.querySelector(`#${CSS.escape(idOf(name))}`)!
  const shown = (): readonly string[] => fields.map(({ name }) => shownIn(control(name)))
  useLayoutEffect(() => {
    begun.current = shown()
  }, [])
  const allow = (): void => {
    const isChanged = shown().some((text, index) => text !== begun.current[index])
    const given = isChanged ? argumentsOf(fields, control) : undefined
    if (given !== null) decide({ allow: true, ...(given && { arguments: given }) })
  }
  const deny = (): void => {
    const why = reason.current!.value.trim()
    decide({ allow: false, ...(why && { reason: why }) })
  }
  return (
    <form
      class="approval"
      aria-label={`Decide on ${item.name}`}
      onSubmit={(event) => {
        event.preventDefault()
        allow()
      }}
    >
      <p class="asks">
        <AgentName agents={members} agent={item.by} /> asks to call <code>{item.name}</code>
      </p>
      {item.note !== undefined && <p class="hint">{item.note}</p>}
      {fields.map((field) => (
        <Field key={field.name} id={idOf(field.name)} field={field} />
      ))}
      <div class="actions">
        <button class="main">Allow</button>
        <span class="deny">
          <input ref={reason} aria-label="Reason" placeholder="Reason (optional)" />
          <button type="button" onClick={deny}>
            Deny
          </button>
        </span>
      </div>
    </form>
  )
}

const NOTES: Readonly<Partial<Record<ApprovalField['type'], string>>> = { list: 'one a line', json: 'JSON' }

function Field({ id, field }: { readonly id: string; readonly field: ApprovalField }): JSX.Element {
  const note = [NOTES[field.type], field.hint].filter(Boolean).join(', ')
  const hint = note ? `hint-${id}` : undefined
  return (
    <div class={`field ${field.type}`}>
      <label for={id}>{field.name}</label>
      <Input field={field} id={id} hint={hint} />
      {note && <small id={hint}>{note}</small>}
    </div>
  )
}

/** Characters of a text that a line shows on a phone, too. */
const MAX_LINE_LENGTH = 36

interface InputProps {
  readonly field: ApprovalField
  readonly id: string
  readonly hint: string | undefined
}

function Input({ field: { type, value, choices = [], required }, id, hint }: InputProps): JSX.Element {
  // Without a name: a form has named fields as properties, in the place of its own.
  const common = { id, 'aria-describedby': hint }
  const text = String(value)
  switch (type) {
    case 'flag':
      return <input {...common} type="checkbox" defaultChecked={value === true} />
    case 'number':
      return <input {...common} type="number" step="any" defaultValue={text} />
    case 'choice':
      return (
        <select {...common}>
          {[...(required && value ? [] : ['']), ...choices].map((each) => (
            <option key={each} value={each} selected={each === value}>
              {each}
            </option>
          ))}
        </select>
      )
    case 'text':
    case 'list':
    case 'json':
      return type === 'text' && text.length <= MAX_LINE_LENGTH && !text.includes('\n') ? (
        <input {...common} type="text" defaultValue={text} />
      ) : (
        <textarea {...common} defaultValue={text} rows={Math.min(text.split('\n').length + 1, 8)} />
      )
  }
}

/** What stands in a control, as the text of a field's value. */
const shownIn = (control: Control): string =>
  control instanceof HTMLInputElement && control.type === 'checkbox' ? String(control.checked) : control.value

/** Reads the fields; returns null, and marks the field, if one of them cannot be read. */
function argumentsOf(
  fields: readonly ApprovalField[],
  control: (name: string) => Control,
): Readonly<Record<string, unknown>> | null {
  const given: Record<string, unknown> = {}
  for (const { name, type, required } of fields) {
    const input = control(name)
    input.setCustomValidity('')
    let value: unknown
    try {
      value = valueOf(type, shownIn(input))
    } catch {
      input.setCustomValidity('This is not valid JSON.')
      input.addEventListener('input', () => input.setCustomValidity(''), { once: true })
      input.reportValidity()
      return null
    }
    const isEmpty = value === '' || value === false || (Array.isArray(value) && value.length === 0)
    if (value !== undefined && (required || !isEmpty)) given[name] = value
  }
  return given
}

function valueOf(type: ApprovalField['type'], text: string): unknown {
  switch (type) {
    case 'flag':
      return text === 'true'
    case 'number':
      return text === '' ? undefined : Number(text)
    case 'list':
      return text.split('\n').filter((line) => line.trim())
    case 'json':
      return text.trim() === '' ? undefined : (JSON.parse(text) as unknown)
    default:
      return text
  }
}
