/** A program whose output a picture shows as a terminal. */
export interface Shown {
  /** Says in a sentence what the picture shows, for readers who do not see it. */
  readonly title: string
  /** The program that is run, with the conditions of the workspace. */
  readonly program: string
  /** The command that a person would type; absent for a program that prints its commands itself. */
  readonly command?: string
  /** Returns the lines that are shown. */
  readonly part?: (lines: readonly string[]) => readonly string[]
}

/** The picture of a program of `examples`. */
const example = (file: string, title: string, part?: Shown['part']): Shown => ({
  title,
  program: `examples/${file}`,
  command: `npx -y pnpm@12.21.0 example examples/${file}`,
  ...(part && { part }),
})

/** The picture of commands in a terminal, which a program of `transcripts` runs and prints. */
const transcript = (file: string, title: string, part?: Shown['part']): Shown => ({
  title,
  program: `scripts/pictures/transcripts/${file}`,
  ...(part && { part }),
})

const JOURNAL_HEADING = 'the entries of the journal:'
const DAMAGE_HEADING = 'with a changed character:'
const OPERATIONS_HEADING = 'host.pending():'
const isDifference = (line: string): boolean => line.startsWith('the run differs')

/** Shows some of the commands of a transcript, by their numbers. */
const commands =
  (...numbers: readonly number[]): Shown['part'] =>
  (lines) => {
    const all = lines.join('\n').split(/\n\n(?=\$ )/u)
    return numbers
      .map((number) => all[number])
      .join('\n\n')
      .split('\n')
  }

const withoutBlankLines = (lines: readonly string[]): readonly string[] => lines.filter((line) => line !== '')

/** Every picture of a terminal in `docs/pictures`, by its name. */
export const PROGRAMS: Readonly<Record<string, Shown>> = {
  'start.svg': transcript(
    'start.ts',
    'The finished program of this page in a terminal: it looks an order up, and so does its server when it is asked.',
    commands(0, 2),
  ),
  'start-test.svg': transcript(
    'start.ts',
    'The test in a terminal: it has found an order, and refused half an order.',
    commands(1),
  ),
  'start-refused.svg': transcript(
    'start.ts',
    'The server in a terminal: a request without a message is answered by 400, with a sentence that says what to send.',
    commands(3),
  ),
  'one-run.svg': example(
    'run-and-store.ts',
    'Two runs and a stream in a terminal: an answer, an answer that knows the question before, and the cost.',
  ),
  'agent-as-tool.svg': example(
    'agent-as-tool.ts',
    'An agent in a terminal that has asked another: its answer, and the call with the question and the result.',
  ),
  'printed-run.svg': example(
    'port-run.ts',
    'A run in a terminal that is not silent: it shows the question, the call of a tool, its result and the answer.',
    (lines) => withoutBlankLines(lines.slice(0, lines.lastIndexOf('-'.repeat(80)))),
  ),
  'server-users.svg': transcript(
    'server-users.ts',
    'Two users ask the server in a terminal: each answer shows what the model was sent, which is the words of one user.',
  ),
  'server-errors.svg': transcript(
    'server-errors.ts',
    'A server in a terminal: it answers 400 to a request without a message, 500 to a failed model, and breaks an answer off.',
  ),
  'server-left.svg': transcript(
    'server-left.ts',
    'A server in a terminal: a client goes away in the middle of an answer, and the call of the model is stopped.',
  ),
  'ag-ui-stream.svg': transcript(
    'ag-ui.ts',
    'The endpoint in a terminal: it sends the events of AG-UI, word by word, with usage and cost in the last one.',
    withoutBlankLines,
  ),
  'use-chat-stream.svg': transcript(
    'use-chat.ts',
    'The endpoint in a terminal: it sends the parts of a message as server-sent events, with usage and cost at the end.',
    (lines) => withoutBlankLines(lines).map((line) => line.replace(/"messageId":"[^"]+"/u, '"messageId":"msg-1"')),
  ),
  'x-log.svg': transcript(
    'x-log.ts',
    'A run in a terminal as a tree: a clerk calls a tool, another agent answers inside it, and each model call has its tokens and cost.',
  ),
  'x-eval.svg': transcript(
    'x-eval.ts',
    'A table in a terminal: two models with scores, intervals, calls and cost for each kind of task, and their difference below it.',
  ),
  'recorded-run.svg': example(
    'record-and-replay.ts',
    'The calls of a recorded run in a terminal: a model, a tool and a model again, each with its place.',
    (lines) => lines.slice(0, lines.findIndex(isDifference)),
  ),
  'replayed-run.svg': example(
    'record-and-replay.ts',
    'A replay in a terminal: the run differs in the prompt of the first call, which is shown as recorded and as it is now.',
    (lines) => lines.slice(lines.findIndex(isDifference), -2),
  ),
  'forked-run.svg': example(
    'record-and-replay.ts',
    'Two forks of a run in a terminal: both answers have the price of the record, and each recommends another cake.',
    // They run at once: on a busy machine either may ask first, and get the first cake.
    (lines) => lines.slice(-2).toSorted(),
  ),
  'two-agents.svg': example(
    'two-agents.ts',
    'A chat of two in a terminal: a writer writes a line, a critic asks for a change, and the writer makes it.',
  ),
  'queue.svg': example(
    'queue-of-chats.ts',
    'A queue in a terminal: the summary of the third chat, and its first message with the summaries of the first two.',
  ),
  'nested-chats.svg': example(
    'nested-chats.ts',
    'A nested chat in a terminal: the answer to a person is made by two chats inside.',
  ),
  'part-of-a-run.svg': example(
    'part-of-a-run.ts',
    'A run in a terminal: a chat inside a tool ends, then the tool, then the chat around it, and the answer comes.',
  ),
  'follow-events.svg': example(
    'follow-events.ts',
    'The events of a run in a terminal: its call of a tool, an event of the program, and the answer word by word.',
    (lines) => lines.slice(0, lines.indexOf('{')),
  ),
  'approve-at-once.svg': example(
    'approve-at-once.ts',
    'A chat in a terminal: a person is asked about a call with its arguments, types yes, and the refund is made.',
    (lines) => lines.slice(0, 2),
  ),
  'deny-at-once.svg': example(
    'approve-at-once.ts',
    'A chat in a terminal: a person types why a call is not allowed, and the model reads this as its result.',
    (lines) => lines.slice(2),
  ),
  'approve-later.svg': example(
    'approve-later.ts',
    'A run in a terminal: it is suspended, shows the call that it waits for, and answers once the call is allowed.',
    (lines) => lines.slice(0, lines.indexOf(JOURNAL_HEADING)),
  ),
  'journal.svg': example(
    'approve-later.ts',
    'The journal of a run in a terminal: each entry has a number, a place and a kind; the decision has no number.',
    (lines) => lines.slice(lines.indexOf(JOURNAL_HEADING), lines.indexOf(DAMAGE_HEADING)),
  ),
  'damaged-journal.svg': example(
    'approve-later.ts',
    'A damaged journal in a terminal: after a changed character it is refused, with the entry and its place.',
    (lines) => lines.slice(lines.indexOf(DAMAGE_HEADING)),
  ),
  'decide.svg': example(
    'decide.ts',
    'A run in a terminal: the call that it waits for, with its place and arguments, and the answer after the decision.',
  ),
  'tool-that-asks.svg': example(
    'tool-that-asks.ts',
    'A run in a terminal: the question of a tool that it waits for, and the answer that uses what the person has said.',
  ),
  'group-chat.svg': example(
    'group-chat.ts',
    'A group chat in a terminal: three agents answer a person in turn, and the last one ends the chat.',
  ),
  'printed-group.svg': example(
    'port-group.ts',
    'A group in a terminal that is not silent: who speaks next, and what a researcher, a writer and an editor say.',
    (lines) => withoutBlankLines(lines.slice(0, lines.lastIndexOf('-'.repeat(80)))),
  ),
  'handoffs.svg': example(
    'port-handoffs.ts',
    'Handoffs in a terminal: triage looks a customer up and hands over to billing, which answers.',
    withoutBlankLines,
  ),
  'order-desk.svg': example(
    'ports/e-commerce.ts',
    'A group in a terminal: triage asks a customer for a name, a tool logs the customer in, and orders answers.',
  ),
  'pattern-result.svg': example(
    'group-patterns.ts',
    'The result of a pattern in a terminal: why the chat ended, its variables, and two handoffs with their reasons.',
    (lines) => lines.slice(0, lines.indexOf(']') + 1),
  ),
  'small-window.svg': example(
    'history-small-window.ts',
    'A history in a terminal: the provider refuses once, and from then on the agent cuts before the window is full.',
  ),
  'explained-history.svg': example(
    'history-coding-agent.ts',
    'A history in a terminal that is explained: each message with its tokens, and old results are cleared.',
    (lines) => [...lines.slice(0, 8), '…'],
  ),
  'failover.svg': example(
    'models.ts',
    'Two models in a terminal: the first one has no quota left, so the second one answers, and a table shows the cost.',
    (lines) => lines.filter((line) => !/^\s+ms:/u.test(line)),
  ),
  'mcp-tools.svg': example(
    'mcp-tools.ts',
    'A tool of an MCP server in a terminal: the answer of an agent that has called it, and the tool with both its names.',
  ),
  'mcp-lock.svg': example(
    'mcp-lock.ts',
    'A reviewed tool in a terminal: its call is made; after a change it waits, and a note says what was reviewed and what is there.',
  ),
  'mcp-server.svg': transcript(
    'mcp-server.ts',
    'An MCP server in a terminal: it starts, and a request for its tools gets the agent `clerk` with its parameters.',
  ),
  'search-a-tree.svg': example(
    'search-a-tree.ts',
    'A search in a terminal: the tree of attempts with their ratings, and stars along the way to the answer.',
  ),
  'search-programs.svg': example(
    'search-programs.ts',
    'A search for a program in a terminal: attempts with the share of tests that they pass, and one that passes all.',
  ),
  'hosted-refund.svg': example(
    'hosted-refund.ts',
    'The log of a hosted chat in a terminal: a call waits for a decision, all is suspended, and the next turn ends it.',
    (lines) => lines.slice(0, lines.indexOf(OPERATIONS_HEADING)),
  ),
  'hosted-operations.svg': example(
    'hosted-refund.ts',
    'A host in a terminal: a call that waits with its arguments, who has decided on another one, and the chats by state.',
    (lines) => lines.slice(lines.indexOf(OPERATIONS_HEADING)),
  ),
  'hosted-messages.svg': example(
    'hosted-messages.ts',
    'The log of a hosted chat in a terminal: it is suspended twice, and each message of the person lets it go on.',
  ),
  'hosted-retry.svg': example(
    'hosted-retry.ts',
    'The log of a hosted chat in a terminal: the model is overloaded twice, the chat waits twice, and then it answers.',
  ),
  'monitoring.svg': transcript(
    'monitoring.ts',
    'A worker in a terminal: it is ready, and its metrics count one suspended chat and one that is done.',
  ),
  'hosted-search.svg': example(
    'hosted-search.ts',
    'A search over workers in a terminal: the answer, the number of calls, and the tree of attempts with their ratings.',
  ),
  'shared-budget.svg': example(
    'limits-and-budgets.ts',
    'A shared budget in a terminal: three questions are answered, the fourth is refused, and the rest of the day shows.',
    (lines) => lines.map((line) => line.replace(/until \d{4}-\d\d-\d\d/u, 'until 2026-01-02')),
  ),
  'spans.svg': example(
    'open-telemetry.ts',
    'The spans of a run in a terminal: a query of the program, two calls of a model, a call of a tool and the run.',
  ),
}
