/** A fault of the account of requests: a part of a source file, and what stands there instead. */
export interface BillingMutation {
  readonly file: string
  /** Stands in the file once. */
  readonly part: string
  readonly instead: string
}

const SENDING = 'packages/model/src/call/sending.steps.ts'
const POLICY = 'packages/model/src/call/sending-policy.ts'
const CALL_BUDGET = 'packages/model/src/call/call-budget.ts'
const RULES = 'packages/kernel/src/limits/budget-rules.ts'
const RECORD = 'packages/kernel/src/limits/record-budget.ts'
const BLOCKING = 'packages/model/src/clients/blocking.ts'
const WORKER = 'packages/model/src/clients/blocking-worker.ts'
const ADAPTER = 'packages/provider-kit/src/client/adapter-client.ts'
const CLOCK = 'packages/provider-kit/src/client/request-clock.ts'

const change = (file: string, part: string, instead: string): BillingMutation => ({ file, part, instead })

const END_UNKNOWN = 'this.#endUnknown(received?.tokens ?? 0)'
const SETTLE_UNKNOWN = 'this.budget?.settle({ cost: cost ?? 0, tokens, calls: 1 }, { estimated: !reported })'
const SETTLE_UNPAID = 'this.budget?.settle({ cost: 0, tokens: 0, calls: 1 }, {})'
const SETTLE_ANSWER = 'this.budget?.settle({ cost, tokens, calls: 1 }, { outputTokens: finite(output), estimated })'
const UNPAID_KINDS = "new Set(['auth', 'rate-limit', 'quota', 'not-found'])"
const MAY_SEND = 'if (!state.hasContent && state.sendings <= state.maxRetries) {'
const MAY_REPEAT_UNSENT = "if (outcome === 'unsent' && kind === 'connection' && state.mayRepeatUnsent) {"

/** Faults of the account of a request that was sent. */
const ACCOUNT_MUTATIONS: Readonly<Record<string, BillingMutation>> = {
  'a request without an answer is released': change(SENDING, END_UNKNOWN, 'this.budget?.release()'),
  'a request without an answer counts as refused': change(SENDING, END_UNKNOWN, 'this.#endUnpaid({ requests: 1 })'),
  'every failed request counts as unsent': change(SENDING, "if (this.outcome === 'unsent') {", 'if (failure) {'),
  'an unsent request is paid for': change(SENDING, "if (this.outcome === 'unsent') {", 'if (!this.#call) {'),
  'a refused request is paid for': change(SENDING, "if (this.outcome === 'refused' || ", 'if ('),
  'a refused request is no call': change(SENDING, SETTLE_UNPAID, SETTLE_UNPAID.replace('calls: 1', 'calls: 0')),
  'a request without an answer is no call': change(
    SENDING,
    SETTLE_UNKNOWN,
    SETTLE_UNKNOWN.replace('calls: 1', 'calls: 0'),
  ),
  'a request without an answer costs nothing': change(
    SENDING,
    SETTLE_UNKNOWN,
    'this.budget?.settle({ cost: 0, tokens: 0, calls: 1 }, {})',
  ),
  'an estimate counts as reported in the budget': change(
    SENDING,
    SETTLE_UNKNOWN,
    SETTLE_UNKNOWN.replace('!reported', 'false'),
  ),
  'an estimate counts as reported in the ledger': change(
    SENDING,
    'estimated: !reported }, false)',
    'estimated: false }, false)',
  ),
  'the ledger misses requests without an answer': change(
    SENDING,
    'addLedgerRow(call, counted, { cost, cached: false, estimated: !reported }, false)',
    '',
  ),
  'the events miss requests without an answer': change(
    SENDING,
    'call.unanswered.push({ usage: counted, cacheWriteTokens: usage.cache_write_tokens, cost })',
    '',
  ),
  'the usage of a broken stream is ignored': change(SENDING, 'void (this.#usage = usage)', 'void usage'),
  'the content of a broken stream is ignored': change(SENDING, END_UNKNOWN, 'this.#endUnknown(0)'),
  'only the first request is reserved': change(
    SENDING,
    'yield* enterBudget(call, budget)',
    'if (!failure) yield* enterBudget(call, budget)',
  ),
  'a refusal of the budget does not stop a further request': change(
    SENDING,
    "throw failure && !isXError(error, 'aborted') ? failure : error",
    'if (!failure) throw error',
  ),
  'only the first request takes a permit': change(
    SENDING,
    'permit = yield* enterLimiter(call, failure)',
    'if (!failure) permit = yield* enterLimiter(call, failure)',
  ),
  'an answer is settled at its estimate': change(
    SENDING,
    SETTLE_ANSWER,
    SETTLE_ANSWER.replace('cost,', 'cost: this.budget.expected.cost,'),
  ),
  'an answer is released': change(SENDING, SETTLE_ANSWER, 'this.budget?.release()'),
  'an answer is settled twice': change(SENDING, 'if (this.#isEnded) return\n', ''),
  'a client that reports nothing has sent nothing': change(SENDING, '#hasLeft = true', '#hasLeft = false'),
  'nobody hears that a request has left': change(SENDING, 'this.#hasLeft = hasLeft\n', ''),
  'a client may send twice': change(SENDING, ' || (hasLeft && this.hasReported && this.#hasLeft)', ''),
  'the limit of a strict budget is not sent': change(
    SENDING,
    'limited?.params ?? call.prepared.params',
    'call.prepared.params',
  ),
  'a stopped call goes on': change(
    SENDING,
    "throwIfAborted(call.run.face === 'sync' ? undefined : stop.signal)\n",
    '\n',
  ),
}

/** Faults of the policy that decides whether a request is sent again. */
const POLICY_MUTATIONS: Readonly<Record<string, BillingMutation>> = {
  'one more request is sent': change(
    POLICY,
    'state.sendings <= state.maxRetries',
    'state.sendings <= state.maxRetries + 1',
  ),
  'one request less is sent': change(POLICY, 'state.sendings <= state.maxRetries', 'state.sendings < state.maxRetries'),
  'a request that came too late is sent again': change(
    POLICY,
    "return !isLate || outcome !== 'unknown' || streamed || retryTimeouts",
    'return true',
  ),
  'configs before the last send again': change(POLICY, 'if (state.last && isTransient', 'if (isTransient'),
  'another form of a request is free': change(
    POLICY,
    "=== true) return { step: 'again', afterMs: 0 }",
    "=== true) return { step: 'again', afterMs: 0, isFree: true }",
  ),
  'unsent requests are repeated without end': change(
    POLICY,
    MAY_REPEAT_UNSENT,
    "if (outcome === 'unsent' && kind === 'connection') {",
  ),
  'unsent requests are not repeated': change(POLICY, MAY_REPEAT_UNSENT, 'if (outcome !== outcome) {'),
  'requests on a broken connection are repeated for nothing': change(
    POLICY,
    MAY_REPEAT_UNSENT,
    "if (kind === 'connection' && state.mayRepeatUnsent) {",
  ),
  'an answer is asked for again after content': change(POLICY, MAY_SEND, 'if (state.sendings <= state.maxRetries) {'),
  'a failure of the server is not paid for': change(
    POLICY,
    UNPAID_KINDS,
    "new Set(['auth', 'rate-limit', 'quota', 'not-found', 'server', 'overloaded'])",
  ),
  'a timeout is not paid for': change(
    POLICY,
    UNPAID_KINDS,
    "new Set(['auth', 'rate-limit', 'quota', 'not-found', 'timeout'])",
  ),
  'a broken connection is not paid for': change(
    POLICY,
    UNPAID_KINDS,
    "new Set(['auth', 'rate-limit', 'quota', 'not-found', 'connection'])",
  ),
  'a truncated answer is not paid for': change(
    POLICY,
    UNPAID_KINDS,
    "new Set(['auth', 'rate-limit', 'quota', 'not-found', 'truncated'])",
  ),
  'an aborted request is not paid for': change(
    POLICY,
    UNPAID_KINDS,
    "new Set(['auth', 'rate-limit', 'quota', 'not-found', 'aborted'])",
  ),
  'a request over the rate limit is paid for': change(POLICY, UNPAID_KINDS, "new Set(['auth', 'quota', 'not-found'])"),
  'a wrong key is paid for': change(POLICY, UNPAID_KINDS, "new Set(['rate-limit', 'quota', 'not-found'])"),
  'an unknown model is paid for': change(POLICY, UNPAID_KINDS, "new Set(['auth', 'rate-limit', 'quota'])"),
  'a failure of the server may be a refusal': change(POLICY, 'status >= 400 && status < 500', 'status >= 400'),
  'an overload is paid for': change(POLICY, "  'overloaded',\n])", '])'),
  'an overload of any status is unpaid': change(POLICY, 'OVERLOADED_STATUSES.has(status) :', 'true :'),
  'every wrong request is unpaid': change(POLICY, "return isNamed ? 'refused' : 'unknown'", "return 'refused'"),
  'no wrong request is unpaid': change(POLICY, "return isNamed ? 'refused' : 'unknown'", "return 'unknown'"),
  'content may be refused': change(
    POLICY,
    'if (hasContent || !isModelFailure(failure))',
    'if (!isModelFailure(failure))',
  ),
  'a caller who leaves pays nothing': change(
    POLICY,
    "if (hasContent || !isModelFailure(failure)) return 'unknown'",
    "if (!isModelFailure(failure)) return 'refused'",
  ),
  'an aborted call goes to the next config': change(
    POLICY,
    "if (kind === 'aborted' || state.isOpen)",
    'if (state.isOpen)',
  ),
  'a stream that was seen goes to the next config': change(
    POLICY,
    "if (kind === 'aborted' || state.isOpen)",
    "if (kind === 'aborted')",
  ),
}

/** Faults of reservations. */
const RESERVATION_MUTATIONS: Readonly<Record<string, BillingMutation>> = {
  'a strict budget keeps an estimate instead of the reservation': change(
    RECORD,
    'used && strict && estimated ? eachUnit(units, used, Math.max) : used',
    'used',
  ),
  'a strict budget reserves estimates': change(
    RULES,
    'request.call && isSizedStrictly(rules)\n',
    'request.call && request.estimate.calls < 0\n',
  ),
  'a reservation is never given back': change(RULES, 'addUnits(me.open, amounts, -1)\n', ''),
  'nothing is settled': change(RECORD, 'if (used) addUnits(this.#record.used, used)', ''),
  'requests are not limited': change(
    CALL_BUDGET,
    'tokens: prompt + outputTokens, calls: 1 }',
    'tokens: prompt + outputTokens, calls: 0 }',
  ),
  'an unknown request counts its own estimate': change(
    CALL_BUDGET,
    'this.isHandedIn ? undefined : this.#reservation?.amounts',
    'undefined',
  ),
  'the estimate is nothing': change(
    CALL_BUDGET,
    'const cost = this.#costOf(prompt, outputTokens, atMost)',
    'const cost = 0',
  ),
  'the estimate has no output': change(
    CALL_BUDGET,
    'const cost = this.#costOf(prompt, outputTokens, atMost)',
    'const cost = this.#costOf(prompt, 0, atMost)',
  ),
  'the most of an input is its estimate': change(
    CALL_BUDGET,
    'atMost ? this.#maxPromptTokens : likelyTokens(this.#maxPromptTokens)',
    'likelyTokens(this.#maxPromptTokens)',
  ),
  'the budget of the chat is not asked beside that of the config': change(
    CALL_BUDGET,
    'ofRun && ofRun !== ofConfig ? [ofConfig, ofRun] : [ofConfig]',
    '[ofConfig]',
  ),
}

/** Faults of what a client reports. */
const REPORT_MUTATIONS: Readonly<Record<string, BillingMutation>> = {
  'a blocking call does not report what left': change(
    BLOCKING,
    'for (const hasLeft of reply.reports) onSend?.(hasLeft)',
    '',
  ),
  'a blocking call reports that nothing left': change(WORKER, 'reports.push(hasLeft)', 'reports.push(false)'),
  'a request that leaves is not reported': change(
    CLOCK,
    'this.hasLeft = true\n    this.#report?.(true)',
    'this.hasLeft = true',
  ),
  'a request that did not leave is not reported': change(
    CLOCK,
    'this.hasLeft = false\n    this.#report?.(false)',
    'this.hasLeft = false',
  ),
  'a second request of a client leaves': change(CLOCK, 'if (this.hasLeft) {', 'if (!this) {'),
  'a comment is no sign of life': change(CLOCK, "this.#enter('silence')", ''),
  'the clock runs while the reader holds an event': change(
    CLOCK,
    'if (!this.#isHeld) this.#expire(this.#part)',
    'this.#expire(this.#part)',
  ),
  'the clock of the call runs while the reader holds an event': change(
    CLOCK,
    'clearTimeout(this.#callTimer)\n    this.#callLeftMs -=',
    'this.#callLeftMs -=',
  ),
  'a wire without the transport has sent nothing': change(ADAPTER, 'onSend?.(true)\n', '\n'),
}

/** Faults of the account of requests and of the policy of sending. */
export const BILLING_MUTATIONS: Readonly<Record<string, BillingMutation>> = {
  ...ACCOUNT_MUTATIONS,
  ...POLICY_MUTATIONS,
  ...RESERVATION_MUTATIONS,
  ...REPORT_MUTATIONS,
}

/** Mutations that the suite does not catch, each with the reason. */
export const BILLING_SURVIVORS: Readonly<Record<string, string>> = {
  'a stopped call goes on':
    'the failure of a stopped call is `aborted`, which ends it by the policy; the check saves only a wait for a budget',
  'a strict budget keeps an estimate instead of the reservation':
    'a request without an answer is settled at its reservation already; `budgetContract` tests the budget by itself',
  'the budget of the chat is not asked beside that of the config':
    'the suite makes calls outside of chats; `budget.test.ts` of `@x/model` gives both',
  'an estimate counts as reported in the budget':
    'a request without an answer is settled at its reservation or above, so that the greater of both is the same',
  'content may be refused': 'no fault of the suite refuses behind content; `sending-policy.test.ts` does',
  'an aborted call goes to the next config':
    'the faults that abort have one config; `sending-policy.test.ts` decides with two',
  'a blocking call reports that nothing left':
    'blocking cells run in `slow`, which the script leaves out; the tests of blocking calls of `@x/model` notice it',
  'a second request of a client leaves': 'no wire of the suite sends twice; `request-clock.test.ts` begins twice',
  'the clock of the call runs while the reader holds an event':
    'streams of the suite have no limit of the whole call; `request-clock.test.ts` has',
  'a wire without the transport has sent nothing':
    'all wires of the suite have the transport; `adapter-client.test.ts` has one without',
}
