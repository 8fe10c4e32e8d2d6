import { readFileSync } from 'node:fs'
import { ConversableAgent } from '@x/agent'
import { ModelWrapper } from '@x/model'
import { ReasoningAgent } from '@x/reasoning'
import { describe, expect, it } from 'vitest'

/** The operations of the specification, by class; those after the bar may wait and have a blocking door too. */
const OPERATIONS: [name: string, owner: abstract new (...args: never) => object, plain: string, waiting: string][] = [
  ['ModelWrapper', ModelWrapper, 'register_model_client print_usage_summary clear_usage_summary', 'create'],
  [
    'ConversableAgent',
    ConversableAgent,
    `update_system_message register_reply replace_reply_func register_nested_chats get_context set_context update_context
     pop_context update_max_consecutive_auto_reply max_consecutive_auto_reply chat_messages_for_summary last_message
     get_chat_results reset stop_reply_at_receive reset_consecutive_auto_reply_counter clear_history register_function
     update_function_signature update_tool_signature remove_tool_for_llm can_execute_function register_for_llm
     register_for_execution register_model_client register_hook print_usage_summary get_actual_usage get_total_usage`,
    `send receive generate_reply initiate_chat initiate_chats generate_oai_reply generate_code_execution_reply
     generate_function_call_reply generate_tool_calls_reply check_termination_and_human_reply get_human_input run_code
     execute_code_blocks execute_function generate_init_message update_agent_state_before_reply
     process_all_messages_before_reply process_last_received_message run`,
  ],
  ['ReasoningAgent', ReasoningAgent, '', 'generate_forest_response rate_node'],
]

const words = (text: string): string[] => text.split(/\s+/u).filter(Boolean)
const camelCase = (name: string): string => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

describe.each(OPERATIONS)('every operation of %s', (name, owner, plain, waiting) => {
  const page = readFileSync(new URL('../../../docs/coming-from-ag2.md', import.meta.url), 'utf8')
  const section = page.split(`## ${name}`)[1]!.split('\n## ')[0]!
  const doors = new Set(namesOf(owner))

  it('stands in `docs/coming-from-ag2.md`, with its name here', () => {
    const missing = words(`${plain} ${waiting}`).filter(
      (each) => !section.includes(`\`${each}\``) || !section.includes(camelCase(each)),
    )
    expect(missing).toEqual([])
  })

  it('has its doors', () => {
    const wanted = [...words(plain), ...words(waiting)].map(camelCase)
    const blocking = words(waiting).map((each) => `${camelCase(each)}Sync`)
    expect([...wanted, ...blocking].filter((each) => !doors.has(each))).toEqual([])
  })
})

/** The operations of a class and of those it extends. */
function namesOf(owner: abstract new (...args: never) => object): string[] {
  const names: string[] = []
  for (let at: object | null = owner.prototype as object; at; at = Object.getPrototypeOf(at) as object | null) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return names
}
