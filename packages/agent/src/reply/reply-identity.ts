/** The property by which an operation names its reply function. */
export const BUILT_IN: unique symbol = Symbol.for('@x/agent/built-in') as never

/** The reply function that a value names: itself, or the one whose operation it is. */
export const namedReply = (reply: object): object => (reply as { [BUILT_IN]?: object })[BUILT_IN] ?? reply

/** Whether two name the same reply function; a built-in is named by itself and by either of its operations. */
export const isSame = (one: object, other: object): boolean => namedReply(one) === namedReply(other)
