/** A schema with a maker of values that fit it. */
export interface RandomSchema {
  readonly schema: Record<string, unknown>
  /** Returns a value; below zero `fuel` the shortest one. */
  readonly value: (fuel: number) => unknown
}

/** Makes numbers from 0 to 1 from a seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const NAMES = ['a', 'b', 'kind', 'value', 'key', 'rest', '0', 'other_properties', 'long name', 'é']
const WORDS = ['', 'a', 'b', 'null', '1', '{"a":1}', 'text', 'é "quoted"\n', '2026-11-27']

/** Makes random schemas: nested, recursive, with unions that can be told apart and others, with rules of every kind. */
export class SchemaMaker {
  readonly #random: () => number
  readonly #definitions: Record<string, unknown> = {}
  /** Makers of values of the definitions. */
  readonly #values = new Map<string, (fuel: number) => unknown>()

  constructor(seed: number) {
    this.#random = randomOf(seed)
  }

  /** Returns a whole schema. */
  make(): RandomSchema {
    const depth = 1 + this.#below(4)
    for (let n = this.#below(3); n > 0; n--) this.#define(`d${n}`, depth - 1)
    const { schema, value } = this.#any(depth)
    const whole = Object.keys(this.#definitions).length > 0 ? { ...schema, $defs: this.#definitions } : schema
    return { schema: whole, value }
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  #chance(share: number): boolean {
    return this.#random() < share
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!
  }

  /** Adds a definition that may hold itself. */
  #define(name: string, depth: number): void {
    const part = this.#any(Math.max(0, depth - 1))
    const self = { $ref: `#/$defs/${name}` }
    const isRequired = this.#chance(0.5)
    const child = this.#pick([
      { schema: { type: 'array', items: self }, empty: [], wrap: (inner: unknown) => [inner, inner] as unknown },
      { schema: { anyOf: [self, { type: 'null' }] }, empty: null, wrap: (inner: unknown) => inner },
      { schema: { type: 'object', additionalProperties: self }, empty: {}, wrap: (inner: unknown) => ({ x: inner }) },
    ])
    this.#definitions[name] = {
      type: 'object',
      properties: { own: part.schema, next: child.schema },
      required: ['own', ...(isRequired ? ['next'] : [])],
      additionalProperties: false,
    }
    const value = (fuel: number): unknown => ({
      own: part.value(fuel - 1),
      ...((isRequired || fuel > 0) && { next: fuel > 0 ? child.wrap(value(fuel - 2)) : child.empty }),
    })
    this.#values.set(name, value)
  }

  #any(depth: number): RandomSchema {
    const [name] = [...this.#values.keys()]
    if (name !== undefined && this.#chance(0.1)) {
      return { schema: { $ref: `#/$defs/${name}` }, value: this.#values.get(name)! }
    }
    if (depth <= 0) return this.#leaf()
    const makers = [
      () => this.#leaf(),
      () => this.#object(depth),
      () => this.#object(depth),
      () => this.#record(depth),
      () => this.#list(depth),
      () => this.#tuple(depth),
      () => this.#union(depth),
      () => this.#union(depth),
      () => this.#tagged(depth),
      () => this.#merged(depth),
    ]
    const made = this.#pick(makers)()
    return this.#chance(0.2) ? { ...made, schema: { description: 'Some words', ...made.schema } } : made
  }

  #leaf(): RandomSchema {
    const text = (): string => this.#pick(WORDS)
    const makers: (() => RandomSchema)[] = [
      () => ({ schema: { type: 'string' }, value: text }),
      () => ({ schema: { type: 'string', minLength: 0, maxLength: 99 }, value: text }),
      () => ({ schema: { type: 'string', pattern: '^(?=.*a)a*$' }, value: () => 'aa' }),
      () => ({ schema: { type: 'string', pattern: '^a+$', format: 'regex' }, value: () => 'aa' }),
      () => ({ schema: { type: 'string', format: 'date' }, value: () => '2026-11-27' }),
      () => ({ schema: { type: 'integer', minimum: -3, maximum: 9 }, value: () => this.#below(9) }),
      () => ({ schema: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }, value: () => 1.5 }),
      () => ({ schema: { type: 'boolean' }, value: () => this.#chance(0.5) }),
      () => ({ schema: { type: 'null' }, value: () => null }),
      () => ({ schema: { type: ['string', 'null'] }, value: () => this.#pick([null, 'a']) }),
      () => ({ schema: { type: ['number', 'string', 'boolean'] }, value: () => this.#pick([1, 'a', true]) }),
      () => ({ schema: { type: 'string', nullable: true }, value: () => this.#pick([null, 'a']) }),
      () => ({
        schema: this.#pick([{}, { description: 'Anything' }]),
        value: () => this.#pick<unknown>([null, 1, 'a', [1, { b: null }], { a: [] }]),
      }),
      () => ({ schema: { const: 'fixed' }, value: () => 'fixed' }),
    ]
    return this.#chance(0.25) ? this.#choice() : this.#pick(makers)()
  }

  #choice(): RandomSchema {
    const lists: unknown[][] = [
      ['a', 'b'],
      [1, 2.5, '1'],
      [true, null, 'true'],
      ['x', { a: 1 }, [1, 2]],
      [null],
      [7],
      [false],
      ['null', null],
      [{ a: 1 }, '{"a":1}'],
    ]
    const values = this.#pick(lists)
    const schema = values.length === 1 && this.#chance(0.5) ? { const: values[0] } : { enum: values }
    return { schema, value: () => this.#pick(values) }
  }

  #object(depth: number): RandomSchema {
    const parts = new Map<string, RandomSchema & { readonly required: boolean }>()
    for (let n = this.#below(4); n >= 0; n--) {
      parts.set(this.#pick(NAMES), { ...this.#any(depth - 1), required: this.#chance(0.6) })
    }
    const rest = this.#any(0)
    const others = this.#pick<unknown>([undefined, undefined, false, true, rest.schema])
    const required = [...parts].filter(([, part]) => part.required).map(([name]) => name)
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries([...parts].map(([name, { schema }]) => [name, schema])),
        ...(required.length > 0 && { required }),
        ...(others !== undefined && { additionalProperties: others }),
        ...(this.#chance(0.1) && { minProperties: 0, dependentRequired: {} }),
      },
      value: (fuel) => ({
        ...Object.fromEntries(
          [...parts].flatMap(([name, part]) =>
            part.required || (fuel > 0 && this.#chance(0.5)) ? [[name, part.value(fuel - 1)]] : [],
          ),
        ),
        ...(others === true && { more: { x: null } }),
        ...(others === rest.schema && { more: rest.value(fuel - 1), 'and more': rest.value(fuel - 1) }),
      }),
    }
  }

  #record(depth: number): RandomSchema {
    const { schema, value } = this.#any(depth - 1)
    const names = this.#pick<unknown>([
      undefined,
      { type: 'string' },
      { type: 'string', pattern: '^[a-z ]+$' },
      { enum: ['a', 'b'] },
    ])
    return {
      schema: {
        type: 'object',
        additionalProperties: schema,
        ...(names !== undefined && { propertyNames: names }),
        ...(this.#chance(0.2) && { minProperties: 0, maxProperties: 9 }),
      },
      value: (fuel) => (fuel < 0 ? {} : { a: value(fuel - 1), ...(this.#chance(0.5) && { b: value(fuel - 1) }) }),
    }
  }

  #list(depth: number): RandomSchema {
    const { schema, value } = this.#any(depth - 1)
    const least = this.#below(3)
    return {
      schema: {
        type: 'array',
        items: schema,
        ...(least > 0 && { minItems: least }),
        ...(this.#chance(0.2) && { maxItems: 9 }),
      },
      value: (fuel) => Array.from({ length: least + (fuel > 0 ? this.#below(3) : 0) }, () => value(fuel - 1)),
    }
  }

  #tuple(depth: number): RandomSchema {
    const items = Array.from({ length: 1 + this.#below(3) }, () => this.#any(depth - 1))
    const rest = this.#chance(0.5) ? this.#any(depth - 1) : undefined
    const least = this.#chance(0.3) ? this.#below(items.length) : items.length
    const schemas = items.map((each) => each.schema)
    const bounds = rest ? { minItems: least } : { minItems: least, maxItems: items.length }
    const further = rest?.schema ?? false
    return {
      schema: {
        type: 'array',
        ...(this.#chance(0.3)
          ? { items: schemas, additionalItems: further }
          : { prefixItems: schemas, items: further }),
        ...bounds,
      },
      value: (fuel) => {
        const count = fuel > 0 && this.#chance(0.7) ? items.length : least
        const more = rest && count === items.length && fuel > 0 ? [rest.value(fuel - 1), rest.value(fuel - 1)] : []
        return [...items.slice(0, count).map((each) => each.value(fuel - 1)), ...more]
      },
    }
  }

  #union(depth: number): RandomSchema {
    const options = Array.from({ length: 2 + this.#below(3) }, () => this.#any(depth - 1))
    return {
      schema: { [this.#pick(['anyOf', 'oneOf'])]: options.map((each) => each.schema) },
      value: (fuel) => (fuel < 0 ? options[0]! : this.#pick(options)).value(fuel - 1),
    }
  }

  #tagged(depth: number): RandomSchema {
    const options = ['x', 'y', 'z'].slice(0, 2 + this.#below(2)).map((tag) => ({ tag, part: this.#any(depth - 1) }))
    return {
      schema: {
        oneOf: options.map(({ tag, part }) => ({
          type: 'object',
          properties: { kind: { type: 'string', const: tag }, part: part.schema },
          required: ['kind', 'part'],
          additionalProperties: false,
        })),
      },
      value: (fuel) => {
        const { tag, part } = this.#pick(options)
        return { kind: tag, part: part.value(fuel - 1) }
      },
    }
  }

  #merged(depth: number): RandomSchema {
    const one = this.#any(depth - 1)
    const other = this.#any(depth - 1)
    const half = (name: string, schema: unknown): object => ({
      type: 'object',
      properties: { [name]: schema },
      required: [name],
    })
    const value = (fuel: number): unknown => ({ one: one.value(fuel - 1), other: other.value(fuel - 1) })
    if (this.#chance(0.5)) return { schema: { allOf: [half('one', one.schema), half('other', other.schema)] }, value }
    return {
      schema: {
        type: 'object',
        properties: { one: one.schema, other: other.schema },
        anyOf: [{ required: ['one'] }, { required: ['other'] }],
      },
      value,
    }
  }
}
