/** A call of a tool whose arguments are being written. */
interface ToolInput {
  /** Span of the call of a model that writes them. */
  readonly call: string
  /** Index of the call among those of the answer. */
  readonly index: number
  readonly toolCallId: string
  readonly callId: string | null
  readonly name: string
  /** The agent inside the run that calls; null: the agent of the run. */
  readonly owner: string | null
}

/** The calls whose arguments are being written: a tool starts later, in a span that does not name its answer. */
export class ToolInputs {
  all: readonly ToolInput[] = []

  add(input: ToolInput): ToolInput {
    this.all = [...this.all, input]
    return input
  }

  find(call: string, index: number): ToolInput | undefined {
    return this.all.find((each) => each.call === call && each.index === index)
  }

  /** Takes the arguments of a tool that starts. */
  take({ callId, name }: Pick<ToolInput, 'callId' | 'name'>, owner: string | null): ToolInput | undefined {
    const isSame = (each: ToolInput): boolean => (callId === null ? each.name === name : each.callId === callId)
    const input = this.all.find((each) => each.owner === owner && isSame(each))
    this.all = this.all.filter((each) => each !== input)
    return input
  }

  /** Takes all arguments that a call of a model has written. */
  takeOf(call: string): readonly ToolInput[] {
    const { all } = this
    this.all = all.filter((each) => each.call !== call)
    return all.filter((each) => each.call === call)
  }
}
