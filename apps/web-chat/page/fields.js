import { element } from './dom.js'

const INPUT_MAKERS = {
  flag: ({ value }) => element('input', { type: 'checkbox', checked: value }),
  number: ({ value }) => element('input', { type: 'number', step: 'any', value }),
  choice: ({ value, choices, required }) =>
    element(
      'select',
      {},
      ...[...(required && value ? [] : ['']), ...choices].map((each) =>
        element('option', { value: each, textContent: each, selected: each === value }),
      ),
    ),
  text: ({ value }) =>
    value.length > 60 || value.includes('\n') ? area(value) : element('input', { type: 'text', value }),
  list: ({ value }) => area(value),
  json: ({ value }) => area(value),
}

const area = (value) => element('textarea', { value, rows: Math.min(value.split('\n').length + 1, 8) })

const FIELD_READERS = {
  flag: (input) => input.checked,
  number: (input) => (input.value === '' ? undefined : Number(input.value)),
  choice: (input) => input.value,
  text: (input) => input.value,
  list: (input) => input.value.split('\n').filter((line) => line.trim()),
  json: (input) => (input.value.trim() === '' ? undefined : JSON.parse(input.value)),
}

const FIELD_NOTES = { list: 'one a line', json: 'JSON' }

/** Makes the form of a pending tool call: a field for each argument, and both decisions. `decide` is called with the decision. */
export function approvalForm({ name, by, approval, note, fields }, decide) {
  const inputs = fields.map((field) => {
    const id = `field-${approval}-${field.name}`
    const input = Object.assign(INPUT_MAKERS[field.type](field), { id, name: field.name })
    const note = [FIELD_NOTES[field.type], field.hint].filter(Boolean).join(', ')
    const hint = element('small', { id: `${id}-hint` }, note)
    if (note) input.setAttribute('aria-describedby', hint.id)
    const label = element('label', { htmlFor: id }, field.name)
    const row = element('div', { className: `field ${field.type}` }, label, input, ...(note ? [hint] : []))
    return { field, input, row }
  })
  const begun = inputs.map(({ field, input }) => shown(field, input))
  const reason = element('input', { id: `reason-${approval}`, placeholder: 'Reason (optional)', ariaLabel: 'Reason' })
  const allow = () => {
    const changed = inputs.some(({ field, input }, index) => shown(field, input) !== begun[index])
    const given = changed && argumentsOf(inputs)
    if (given !== null) void decide({ allow: true, ...(given && { arguments: given }) })
  }
  const deny = () => decide({ allow: false, ...(reason.value.trim() && { reason: reason.value.trim() }) })
  const form = element(
    'form',
    { className: 'approval' },
    element('p', { className: 'asks' }, element('b', {}, by), ' asks to call ', element('code', {}, name)),
    ...(note ? [element('p', { className: 'note' }, note)] : []),
    ...inputs.map(({ row }) => row),
    element(
      'div',
      { className: 'actions' },
      element('button', { className: 'main', textContent: 'Allow' }),
      element(
        'span',
        { className: 'deny' },
        reason,
        element('button', { type: 'button', textContent: 'Deny', onclick: deny }),
      ),
    ),
  )
  form.setAttribute('aria-label', `Decide on ${name}`)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    allow()
  })
  return form
}

const shown = ({ type }, input) => (type === 'flag' ? String(input.checked) : input.value)

/** Reads the fields; returns null, and marks the field, if one of them cannot be read. */
function argumentsOf(inputs) {
  const given = {}
  for (const { field, input } of inputs) {
    input.setCustomValidity('')
    let value
    try {
      value = FIELD_READERS[field.type](input)
    } catch {
      input.setCustomValidity('This is not valid JSON.')
      input.addEventListener('input', () => input.setCustomValidity(''), { once: true })
      input.reportValidity()
      return null
    }
    const isEmpty = value === undefined || value === '' || value?.length === 0 || value === false
    if (value !== undefined && (field.required || !isEmpty)) given[field.name] = value
  }
  return given
}
