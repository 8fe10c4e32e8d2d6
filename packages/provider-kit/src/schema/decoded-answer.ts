import type { AnswerUsage, ModelAnswer, ModelEvent } from '@x/interfaces'
import type { AnswerBuilder, CallInit } from '../answer/answer-builder.ts'
import type { RequestSchemas } from './request-schemas.ts'

/** A call whose arguments are held until they are whole. */
interface HeldCall {
  readonly name: string
  readonly index: number
  readonly call: number
  text: string
}

/**
 * Returns a builder that gives texts and arguments in the form of the schemas of a request. What has another form is held
 * until it is whole, and then comes in one piece; all else passes as it arrives.
 */
export function decodedAnswer(inner: AnswerBuilder, schemas: RequestSchemas): AnswerBuilder {
  return schemas.isChanged ? new DecodedAnswer(inner, schemas) : inner
}

class DecodedAnswer implements AnswerBuilder {
  readonly #inner: AnswerBuilder
  readonly #schemas: RequestSchemas
  readonly #texts = new Map<number, string>()
  readonly #calls = new Map<string, HeldCall>()

  constructor(inner: AnswerBuilder, schemas: RequestSchemas) {
    this.#inner = inner
    this.#schemas = schemas
  }

  get counts(): AnswerUsage | undefined {
    return this.#inner.counts
  }

  get hasContent(): boolean {
    return this.#inner.hasContent
  }

  start(facts: { id?: unknown; model?: unknown; created?: unknown }): void {
    this.#inner.start(facts)
  }

  text(text: string, index: number = 0): void {
    if (!this.#schemas.changesAnswer) {
      this.#inner.text(text, index)
      return
    }
    this.#inner.text('', index)
    if (typeof text === 'string') this.#texts.set(index, (this.#texts.get(index) ?? '') + text)
  }

  reasoning(text: string, index: number = 0): void {
    this.#inner.reasoning(text, index)
  }

  textWasReasoning(index: number = 0): string {
    if (!this.#schemas.changesAnswer) return this.#inner.textWasReasoning(index)
    const text = this.#texts.get(index) ?? ''
    this.#texts.delete(index)
    this.#inner.reasoning(text, index)
    return text
  }

  callStart(init: CallInit, index: number = 0): number {
    const call = this.#inner.callStart(init, index)
    const { name } = init
    if (typeof name === 'string' && this.#schemas.changesTool(name)) {
      this.#calls.set(`${index}/${call}`, { name, index, call, text: '' })
    }
    return call
  }

  callDelta(call: number, piece: string, index: number = 0): void {
    const held = this.#calls.get(`${index}/${call}`)
    if (!held) this.#inner.callDelta(call, piece, index)
    else if (typeof piece === 'string') held.text += piece
  }

  callEnd(call: number, index: number = 0): void {
    const held = this.#calls.get(`${index}/${call}`)
    if (held) this.#giveCall(held)
    this.#inner.callEnd(call, index)
  }

  #giveCall(held: HeldCall): void {
    const { name, index, call, text } = held
    this.#calls.delete(`${index}/${call}`)
    this.#inner.callDelta(call, this.#schemas.decodeArguments(name, text), index)
  }

  usage(counts: AnswerUsage | undefined, isPartial: boolean = false): void {
    this.#inner.usage(counts, isPartial)
  }

  own(data: unknown, index: number = 0): void {
    this.#inner.own(data, index)
  }

  extend(fields: Parameters<AnswerBuilder['extend']>[0], index: number = 0): void {
    const { function_call: call } = fields
    if (!call || typeof call.name !== 'string' || typeof call.arguments !== 'string') {
      this.#inner.extend(fields, index)
      return
    }
    const decoded = { ...call, arguments: this.#schemas.decodeArguments(call.name, call.arguments) }
    this.#inner.extend({ ...fields, function_call: decoded }, index)
  }

  details(details: Parameters<AnswerBuilder['details']>[0], index: number = 0): void {
    this.#inner.details(details, index)
  }

  media(media: Parameters<AnswerBuilder['media']>[0], index: number = 0): void {
    this.#inner.media(media, index)
  }

  part(kind: string, part: object, index: number = 0): void {
    this.#inner.part(kind, part, index)
  }

  extra(fields: Readonly<Record<string, unknown>>): void {
    this.#inner.extra(fields)
  }

  finish(reason: string, index: number = 0): void {
    this.#inner.finish(reason, index)
  }

  calls(index: number = 0): number {
    return this.#inner.calls(index)
  }

  isFinished(choices: number): boolean {
    return this.#inner.isFinished(choices)
  }

  take(): ModelEvent[] {
    return this.#inner.take()
  }

  end(isCut: boolean = false): ModelAnswer {
    for (const held of this.#calls.values()) this.#giveCall(held)
    for (const [index, text] of this.#texts) this.#inner.text(this.#schemas.decodeAnswer(text), index)
    this.#texts.clear()
    return this.#inner.end(isCut)
  }
}
