/** Survivors with one reason. */
export interface SurvivorGroup {
  /**
   * `equivalent`: the mutant does what the plugin does. `undecidable`: it differs in what the suite leaves to the author.
   * `missed`: it could be told from outside, and the suite does not.
   */
  readonly verdict: 'equivalent' | 'undecidable' | 'missed'
  readonly why: string
  /** Plugin, operator, and the changed text with its white space as one space. */
  readonly mutants: readonly (readonly [plugin: string, operator: string, part: string])[]
}

/** Mutants that pass the suite for providers, each group with the reason. `node scripts/mutants.ts` names any other one. */
export const SURVIVORS: readonly SurvivorGroup[] = [
  {
    verdict: 'equivalent',
    why: 'A key whose value is undefined is not in the JSON; empty `images` and `options` say as little as none.',
    mutants: [
      ['template', 'one-side', 'limit !== undefined && { limit }'],
      ['template', 'one-side', 'temperature !== undefined && { temperature }'],
      ['template', 'one-side', 'top_p !== undefined && { top_p }'],
      ['template', 'one-side', 'choice !== undefined && { choice: lowerChoice(choice, context.names) }'],
      ['cohere', 'one-side', 'json.schema && { json_schema: json.schema }'],
      ['cohere', 'one-branch', 'if (params[name] !== undefined) body[name] = params[name]'],
      ['cohere', 'one-branch', "if (limit !== undefined) body['max_tokens'] = limit"],
      ['cohere', 'one-branch', "if (params.top_p !== undefined) body['p'] = params.top_p"],
      ['cohere', 'one-branch', "if (params.top_k !== undefined) body['k'] = params.top_k"],
      ['cohere', 'one-side', 'description !== undefined && { description }'],
      ['cohere', 'one-branch', "if (choice) body['tool_choice'] = choice"],
      ['cohere', 'one-branch', "if (format) body['response_format'] = format"],
      ['ollama', 'change-operator', 'images.length > 0'],
      ['ollama', 'one-side', 'images.length > 0 && { images }'],
      ['ollama', 'one-branch', 'if (value !== undefined) options[own] = value'],
      ['ollama', 'one-branch', "if (limit !== undefined) options['num_predict'] = limit"],
      ['ollama', 'one-branch', 'tool.description === undefined ? {} : { description: tool.description }'],
      ['ollama', 'one-side', 'think !== undefined && { think }'],
      ['ollama', 'change-operator', 'Object.keys(options).length > 0'],
      ['ollama', 'one-side', 'Object.keys(options).length > 0 && { options }'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'The order does not show: the list becomes a set, or keys of one object.',
    mutants: [
      ['cohere', 'reverse-list', "'temperature', 'seed'"],
      [
        'cohere',
        'reverse-list',
        "...SAME_NAMES, ...['model', 'messages', 'prompt', 'tools', 'functions', 'max_tokens', 'max_completion_tokens', 'top_p', 'top_k']",
      ],
      ['cohere', 'reverse-list', "'model', 'messages'"],
      ['cohere', 'reverse-list', "'stop', 'tool_choice'"],
      [
        'ollama',
        'reverse-list',
        "...Object.keys(OPTION_NAMES), ...['model', 'messages', 'prompt', 'tools', 'functions', 'max_tokens', 'max_completion_tokens', 'stop']",
      ],
      ['ollama', 'reverse-list', "'model', 'messages'"],
      ['ollama', 'reverse-list', "'tool_choice', 'response_format'"],
    ],
  },
  {
    verdict: 'equivalent',
    why: '`params.given` never has `messages`.',
    mutants: [
      ['cohere', 'change-text', "'messages'"],
      ['cohere', 'drop-element', "'messages',"],
      ['ollama', 'change-text', "'messages'"],
      ['ollama', 'drop-element', "'messages',"],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'The kit takes the rule for identifiers from the call that makes turns.',
    mutants: [
      ['template', 'drop-property', 'ids,'],
      ['cohere', 'drop-property', 'ids,'],
      ['ollama', 'drop-property', 'ids,'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'The kit asks a request for its model only to make a URL of it, which these wires do not.',
    mutants: [
      ['template', 'drop-property', 'model,'],
      ['cohere', 'drop-property', 'model,'],
      ['ollama', 'drop-property', 'model,'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'The kit takes this clock by default.',
    mutants: [
      ['template', 'drop-property', 'clock: platformClock(),'],
      ['cohere', 'drop-property', 'clock: platformClock(),'],
      ['ollama', 'drop-property', 'clock: platformClock(),'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'There is always one: each result of a tool is a turn of its own, and the thoughts of an answer are one text.',
    mutants: [
      ['cohere', 'reverse-list', "parts.flatMap((part) => (part.type === 'result' ? [part] : []))"],
      ['cohere', 'first-only', "parts.flatMap((part) => (part.type === 'result' ? [part] : []))"],
      [
        'cohere',
        'reverse-list',
        "results.map((result) => ({ role: 'tool', tool_call_id: result.id, content: result.content.flatMap((part) => contentPart(part, warn)), }))",
      ],
      [
        'cohere',
        'first-only',
        "results.map((result) => ({ role: 'tool', tool_call_id: result.id, content: result.content.flatMap((part) => contentPart(part, warn)), }))",
      ],
      ['cohere', 'reverse-list', "thoughts.map((thinking) => ({ type: 'thinking', thinking }))"],
      ['cohere', 'first-only', "thoughts.map((thinking) => ({ type: 'thinking', thinking }))"],
      ['ollama', 'loop-once', 'parts'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'Results have texts alone here: `takesInResult` had the kit put lines in place of the rest.',
    mutants: [
      ['template', 'one-branch', "each.type === 'text' ? each.text : ''"],
      ['template', 'change-text', "''"],
      ['cohere', 'drop-argument', 'warn'],
      ['ollama', 'drop-argument', 'warn'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'What the kit does not replace in a result, `contentOf` does, with a note and a warning too.',
    mutants: [
      [
        'ollama',
        'drop-property',
        "takesInResult: (media) => media.type === 'bytes' && media.mediaType.startsWith('image/'),",
      ],
      ['ollama', 'one-side', "media.type === 'bytes' && media.mediaType.startsWith('image/')"],
      ['ollama', 'change-text', "'image/'"],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'The answer passes over pieces that are not texts, and calls that it does not know.',
    mutants: [
      ['template', 'one-branch', 'if (piece.thought !== undefined) answer.reasoning(piece.thought)'],
      ['template', 'one-branch', 'if (piece.text !== undefined) answer.text(piece.text)'],
      ['cohere', 'one-side', 'this.#calls.get(index) ?? -1'],
      ['cohere', 'change-number', '1'],
      ['cohere', 'one-branch', 'if (content?.text !== undefined) answer.text(content.text)'],
      ['ollama', 'one-branch', 'if (message.thinking) answer.reasoning(message.thinking)'],
      ['ollama', 'one-branch', 'if (message.content) answer.text(message.content)'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'The answer ends the calls that are open; nobody reads a complete answer piece by piece.',
    mutants: [['cohere', 'drop-statement', 'answer.callEnd(call)']],
  },
  {
    verdict: 'equivalent',
    why: 'Undefined counts as false.',
    mutants: [
      ['cohere', 'drop-case', 'default: break'],
      ['cohere', 'drop-result', 'return false'],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'The word in lower case is the finish reason; or its default, with the words of this wire.',
    mutants: [['template', 'drop-property', "length: 'length',"]],
  },
  {
    verdict: 'equivalent',
    why: 'The kit reads all that is not `sse` as lines.',
    mutants: [['ollama', 'change-text', "'ndjson'"]],
  },
  {
    verdict: 'equivalent',
    why: 'Undefined is returned a line later.',
    mutants: [['ollama', 'one-branch', 'if (effort === undefined) return undefined']],
  },
  {
    verdict: 'equivalent',
    why: 'A text has no field `function`.',
    mutants: [
      [
        'template',
        'one-branch',
        "typeof choice === 'object' ? (choice['function'] as { name: string } | undefined) : undefined",
      ],
    ],
  },
  {
    verdict: 'equivalent',
    why: 'A catalogue without models knows nothing, however it is made.',
    mutants: [['ollama', 'swap-values', "'2026-11-01', models: {}"]],
  },
  {
    verdict: 'equivalent',
    why: 'The wire counts calls as the answer does.',
    mutants: [['cohere', 'swap-arguments', 'index, call']],
  },
  {
    verdict: 'undecidable',
    why: 'The date of a catalogue is for people.',
    mutants: [
      ['template', 'drop-property', "date: '2026-11-01',"],
      ['template', 'change-text', "'2026-11-01'"],
      ['cohere', 'drop-property', "date: '2026-11-01',"],
      ['cohere', 'change-text', "'2026-11-01'"],
      ['ollama', 'drop-property', "date: '2026-11-01',"],
      ['ollama', 'change-text', "'2026-11-01'"],
    ],
  },
  {
    verdict: 'undecidable',
    why: "The words of warnings, notes and errors are the author's; the suite asks for a topic, a text and the name of the parameter.",
    mutants: [
      ['template', 'change-template', '\\`'],
      ['cohere', 'drop-element', "{ type: 'text', text: '[a file that cannot be shown here]' }"],
      ['cohere', 'one-side', "error ?? { message: 'the generation failed' }"],
      ['cohere', 'drop-property', "message: 'the generation failed'"],
      ['cohere', 'change-text', "'the generation failed'"],
      ['cohere', 'change-template', '\\`'],
      [
        'ollama',
        'drop-statement',
        "texts.push(media.type === 'link' ? `[attachment: ${media.url}]` : '[an attachment that cannot be shown here]')",
      ],
      ['ollama', 'negate-condition', "media.type === 'link'"],
      ['ollama', 'change-operator', "media.type === 'link'"],
      [
        'ollama',
        'one-branch',
        "media.type === 'link' ? `[attachment: ${media.url}]` : '[an attachment that cannot be shown here]'",
      ],
      ['ollama', 'change-text', "'link'"],
      ['ollama', 'change-template', '[attachment:'],
      ['ollama', 'change-template', ']'],
      ['ollama', 'change-text', "'[an attachment that cannot be shown here]'"],
      ['ollama', 'change-template', '\\`'],
    ],
  },
  {
    verdict: 'undecidable',
    why: 'The field is optional: without it, blocking calls import the package by its name.',
    mutants: [['template', 'drop-property', 'url: import.meta.url']],
  },
  {
    verdict: 'missed',
    why: 'Only a frame that the description of the wire does not have would tell: without a type, a function, a reason or a moment.',
    mutants: [
      ['cohere', 'one-branch', 'if (reason) answer.finish(FINISH[reason] ?? reason.toLowerCase())'],
      ['cohere', 'one-side', 'type === undefined && isRecord(frame)'],
      ['cohere', 'one-side', "type === undefined && isRecord(frame) && ('message' in frame || 'error' in frame)"],
      ['cohere', 'drop-chain', 'called?.name'],
      ['cohere', 'one-side', "called?.name ?? ''"],
      ['cohere', 'change-text', "''"],
      ['cohere', 'drop-chain', 'called?.arguments'],
      ['cohere', 'one-side', "called?.arguments ?? ''"],
      ['cohere', 'drop-chain', 'content?.thinking'],
      ['cohere', 'drop-chain', 'content?.text'],
      ['ollama', 'one-side', 'called.arguments ?? {}'],
      ['ollama', 'change-text', "'stop'"],
      ['ollama', 'one-side', "moment ?? ''"],
      ['ollama', 'change-text', "''"],
      ['ollama', 'one-branch', 'Number.isNaN(time) ? undefined : Math.floor(time / 1000)'],
    ],
  },
  {
    verdict: 'missed',
    why: 'Words for the end that no client knows yet are served in the letters of the others, which are lower-case here.',
    mutants: [['template', 'drop-call', 'piece.stop.toLowerCase()']],
  },
]
