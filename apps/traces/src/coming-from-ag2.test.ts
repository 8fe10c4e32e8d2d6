import { existsSync, readFileSync } from 'node:fs'
import { ConversableAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { ModelWrapper } from '@x/model'
import { ReasoningAgent } from '@x/reasoning'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const page = read('docs/coming-from-ag2.md')

const words = (text: string): string[] => text.split(/\s+/u).filter(Boolean)
const numbered = (what: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${what} ${from + index}:`)
const numberedOf = (part: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${part}${index + 1}:`)
const camelCase = (name: string): string => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/** The operations of the specification, by class: those that never wait, and those that may and have a blocking form too. */
const OPERATIONS: Record<string, { owner: abstract new (...args: never) => object; plain: string; waiting: string }> = {
  'Operations of a wrapper': {
    owner: ModelWrapper,
    plain: 'register_model_client print_usage_summary clear_usage_summary',
    waiting: 'create',
  },
  'Operations of an agent': {
    owner: ConversableAgent,
    plain: `update_system_message register_reply replace_reply_func register_nested_chats get_context set_context
      update_context pop_context update_max_consecutive_auto_reply max_consecutive_auto_reply
      chat_messages_for_summary last_message get_chat_results reset stop_reply_at_receive
      reset_consecutive_auto_reply_counter clear_history register_function update_function_signature
      update_tool_signature remove_tool_for_llm can_execute_function register_for_llm register_for_execution
      register_model_client register_hook print_usage_summary get_actual_usage get_total_usage`,
    waiting: `send receive generate_reply initiate_chat initiate_chats generate_oai_reply generate_code_execution_reply
      generate_function_call_reply generate_tool_calls_reply check_termination_and_human_reply get_human_input run_code
      execute_code_blocks execute_function generate_init_message update_agent_state_before_reply
      process_all_messages_before_reply process_last_received_message run`,
  },
  'Operations of a group': {
    owner: GroupChat,
    plain: `reset append agent_by_name nested_agents next_agent select_speaker_msg select_speaker_prompt
      introductions_msg random_select_speaker`,
    waiting: 'select_speaker manual_select_speaker',
  },
  'Operations of a group manager': {
    owner: GroupChatManager,
    plain: 'messages_from_string messages_to_string clear_agents_history chat_messages_for_summary',
    waiting: 'run_chat resume',
  },
  'Operations of a reasoning agent': {
    owner: ReasoningAgent,
    plain: '',
    waiting: 'generate_forest_response rate_node',
  },
}

/** What else the specification names, by the section of the page that lists it; each stands in the first cell of a row. */
const NAMES: Record<string, readonly string[]> = {
  'Operations of a wrapper': words('OpenAIWrapper instantiate extract_text_or_completion_object'),
  'Fields and config keys of a wrapper': words(`config_list base_config extra_kwargs client_kwargs total_usage_summary
    actual_usage_summary wrapper_id model api_key api_type base_url api_version model_client_cls price tags agent cache
    cache_seed filter_func allow_format_str_template context`),
  'Construction of a wrapper': numbered('rule', 1, 3),
  'Response of a wrapper': words('cost config_id pass_filter message_retrieval_function'),
  'States of a model client': [
    'placeholder, `register_model_client`',
    'placeholder, `create`',
    'active, `register_model_client`',
    'no placeholder, `register_model_client`',
  ],
  'Rules of a wrapper': [
    '`instantiate`:',
    ...numbered('`create`', 1, 11),
    '`print_usage_summary`:',
    '`clear_usage_summary`:',
  ],
  'Operations of an agent': words(`a_send a_receive a_generate_reply a_initiate_chat a_initiate_chats
    a_generate_oai_reply a_generate_function_call_reply a_generate_tool_calls_reply
    a_check_termination_and_human_reply a_get_human_input a_execute_function a_generate_init_message a_run`),
  'Attributes of an agent': words(`name description system_message llm_config silent human_input_mode reply_at_receive
    client_cache run_executor hook_lists code_executor chat_messages use_docker tools function_map`),
  Message: words('content function_call tool_calls role name context tool_responses id'),
  ChatResult: words('chat_history summary cost human_input'),
  'Reply function record': words('trigger reply_func config init_config reset_config ignore_async_in_sync_chat'),
  'Counter of auto replies': [
    'no exit, no reply',
    'the reply is `exit`',
    'a reply, or a maximum of 0',
    '`reset_consecutive_auto_reply_counter()`',
    '`reset_consecutive_auto_reply_counter(sender)`',
    'the flow of a chat',
  ],
  'Rules of an agent': [
    ...numbered('rule', 1, 23),
    ...[
      'ALWAYS',
      'the maximum',
      'a message that ends',
      'no answer',
      '`USER INTERRUPTED`',
      'a maximum of 0',
      'no messages',
    ].map((branch) => `rule 5: ${branch}`),
  ],
  'Operations of a reasoning agent': ['ReasoningAgent(name'],
  reason_config: words('method max_depth forest_size rating_scale beam_size answer_approach nsim exploration_constant'),
  'Parts of a reasoning agent': words('tot_thinker tot_grader reasoner_user_proxy value rating_details trajectory'),
  'Rules of a reasoning agent': numbered('rule', 1, 3),
  'Fields of a group': words(`agents messages max_round admin_name func_call_filter speaker_selection_method
    max_retries_for_selecting_speaker allow_repeat_speaker allowed_or_disallowed_speaker_transitions
    speaker_transitions_type enable_clear_history send_introductions select_speaker_message_template
    select_speaker_prompt_template select_speaker_auto_multiple_template select_speaker_auto_none_template
    select_speaker_transform_messages select_speaker_auto_verbose select_speaker_auto_model_client_cls
    select_speaker_auto_llm_config role_for_select_speaker_messages allowed_speaker_transitions_dict agent_names
    GroupChatManager groupchat last_speaker silent`),
  'Operations of a group': ['a_select_speaker'],
  'Operations of a group manager': words('a_run_chat a_resume'),
  'Rules of a group': numbered('rule', 1, 42),
  'Events of a group': words(`GroupChatRunChatMessage GroupChatResumeMessage ClearAgentsHistoryMessage
    SelectSpeakerMessage SelectSpeakerInvalidInputMessage SelectSpeakerTryCountExceededMessage
    SpeakerAttemptSuccessfulMessage SpeakerAttemptFailedMultipleAgentsMessage SpeakerAttemptFailedNoAgentsMessage`),
  'Errors of a group': [
    'making a group',
    '`tools` or `functions`',
    'unknown method',
    'fewer than two members',
    'a callable',
    'nobody has any function',
    '`auto` without a model',
    'a client without its class',
    'NoEligibleSpeaker',
    'UndefinedNextAgent',
    'AgentNameConflict',
    '`resume`:',
    'an interrupt without an admin',
    'an async reply function',
  ],
  'Limits of a group': [
    ...words('max_round max_retries_for_selecting_speaker'),
    '`manual`: tries',
    'auto replies of the manager',
    'turns of the inner chat',
  ],
  'Types of handoffs':
    words(`Handoffs OnContextCondition OnCondition after_works ReplyResult ContextVariables StringLLMCondition
    ContextStrLLMCondition StringContextCondition StringAvailableCondition ExpressionContextCondition
    ExpressionAvailableCondition ContextStr Guardrail RegexGuardrail LLMGuardrail FunctionTargetResult GroupChatConfig
    Pattern`),
  'Targets of handoffs': words(`AgentTarget AgentNameTarget StayTarget TerminateTarget RevertToUserTarget AskUserTarget
    GroupManagerTarget RandomAgentTarget FunctionTarget NestedChatTarget GroupChatTarget`),
  Patterns: words('DefaultPattern AutoPattern RoundRobinPattern RandomPattern ManualPattern'),
  'Operations of patterns': words(`initiate_group_chat a_initiate_group_chat run_group_chat a_run_group_chat
    run_group_chat_iter safeguard_policy`),
  'Rules of handoffs': [
    ...['P', 'R', 'N', 'T'].flatMap((part) => numberedOf(part, { P: 9, R: 7, N: 9, T: 8 }[part]!)),
    ...['S', 'F', 'C', 'G'].flatMap((part) => numberedOf(part, { S: 3, F: 4, C: 5, G: 5 }[part]!)),
  ],
  'Errors of handoffs': [
    'a stranger',
    '`revert_to_user`',
    'a bad expression',
    'a missing variable',
    "a guardrail's model",
  ],
  'What was wrong with handoffs': numberedOf('D', 38),
  'How chats end, and what is printed': [
    '`run` without',
    'user proxy',
    '`last_msg`',
    '`max_turns`',
    '`EOFError`',
    '`silent`',
  ],
  Edges: [
    'UCT divides',
    'position 1',
    '`""`',
    '`last_n_messages`',
    '`use_async`',
    'without an answer',
    '`None`',
    'empty conversation',
    'a list',
    'a hook',
    '`human_input_mode`',
    'an empty name',
    '`msg_to`',
  ],
  Events: words(`UsageSummaryMessage ConversableAgentUsageSummaryMessage
    ConversableAgentUsageSummaryNoCostIncurredMessage ClearConversableAgentHistoryMessage
    ClearConversableAgentHistoryWarningMessage TerminationAndHumanReplyMessage UsingAutoReplyMessage
    ExecuteCodeBlockMessage ExecuteFunctionMessage ExecutedFunctionMessage`),
  'Log records': ['chat completion', 'new wrapper', 'cache seed value', 'reply_func_executed'],
  Errors: [
    '`create`, a client that is not registered',
    '`create`, the last config timed out',
    '`create`, `content_filter`',
    '`create`, an error of the last config',
    '`create`, no return',
    '`register_model_client`,',
    '`print_usage_summary`,',
    '`send`, `receive`:',
    '`generate_reply`:',
    '`register_reply`:',
    '`register_nested_chats`:',
    '`initiate_chat`:',
    '`last_message`: several',
    '`last_message`: no such',
    '`generate_code_execution_reply`:',
    '`execute_function`:',
    'signatures: no `llm_config`',
    'signatures: not a dict',
    '`remove_tool_for_llm`:',
    '`register_hook`:',
    '`ReasoningAgent`: `answer_approach`',
    '`ReasoningAgent`: unknown method',
  ],
  Limits: [
    ...words(`MAX_CONSECUTIVE_AUTO_REPLY DEFAULT_CONFIG DEFAULT_SUMMARY_METHOD DEFAULT_SUMMARY_PROMPT
      LEGACY_DEFAULT_CACHE_SEED max_turns max_depth beam_size forest_size rating_scale nsim exploration_constant`),
    '`reasoner_user_proxy` `max_consecutive_auto_reply`',
    'a maximum of 0',
  ],
  'Versions and what is deprecated': [
    ...words('api_version function_call update_function_signature verbose cache_seed'),
    'the `function` style',
    '`max_depth`, `beam_size`, `answer_approach`',
    'a config from the environment',
    'an endpoint without a key',
  ],
}

/** The rows of the table below a heading. */
function rowsOf(section: string): string[][] {
  const part = page.split(/^#+ /mu).find((part) => part.startsWith(`${section}\n`))
  const lines = part?.split('\n').filter((line) => line.startsWith('| ')) ?? []
  return lines.slice(2).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | ?\|$/gu, '').trim()))
}

const sections = Object.keys({ ...NAMES, ...OPERATIONS })

describe.each(sections)('`docs/coming-from-ag2.md`, %s', (section) => {
  const rows = rowsOf(section)
  const { plain = '', waiting = '' } = OPERATIONS[section] ?? {}
  const names = [...words(`${plain} ${waiting}`), ...(NAMES[section] ?? [])]

  it('names all that the specification does', () => {
    const firsts = rows.map(([first]) => first!)
    // A single word stands between backticks, anything else as it is.
    const stands = (name: string): boolean =>
      firsts.some((first) =>
        /^\w+$/u.test(name) ? new RegExp(`\`${name}[\`(]`, 'u').test(first) : first.includes(name),
      )
    expect(names.filter((name) => !stands(name))).toEqual([])
  })

  it('says for each what it is here and what holds it', () => {
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(([, here, held]) => !here || !held)).toEqual([])
  })

  it('names tests and recordings that are there', () => {
    const held = rows.flatMap(([, , cell]) => [...cell!.matchAll(/`([^`]+)`(?: "([^"]+)")?/gu)])
    expect(held.filter(([, path, title]) => !isThere(path!, title)).map(([text]) => text)).toEqual([])
  })
})

/** Whether a test file has a test of that name, or a recording or a folder of recordings exists. */
function isThere(path: string, title: string | undefined): boolean {
  if (path.endsWith('.test.ts')) return existsSync(new URL(path, root)) && (!title || read(path).includes(title))
  return !title && existsSync(new URL(`apps/traces/data/${path.endsWith('/') ? path : `${path}.json`}`, root))
}

it.each(Object.entries(OPERATIONS))('%s have their forms', (_, { owner, plain, waiting }) => {
  const names = new Set(namesOf(owner))
  const wanted = [...words(plain), ...words(waiting)].map(camelCase)
  const blocking = words(waiting).map((each) => `${camelCase(each)}Sync`)
  expect([...wanted, ...blocking].filter((each) => !names.has(each))).toEqual([])
})

/** The operations of a class and of those it extends. */
function namesOf(owner: abstract new (...args: never) => object): string[] {
  const names: string[] = []
  for (let at: object | null = owner.prototype as object; at; at = Object.getPrototypeOf(at) as object | null) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return names
}
