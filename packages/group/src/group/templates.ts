import type { Agent } from '@x/interfaces'

/** System message of a model that chooses the next speaker. */
export const SELECT_SPEAKER_SYSTEM_TEMPLATE: string = `You run a role play with these roles:
{roles}

Read the conversation that follows. Then select the next role from {agentlist} to speak. Return only its name.`

/** Last message of the request to a model that chooses the next speaker. */
export const SELECT_SPEAKER_PROMPT_TEMPLATE: string =
  'Read the conversation above. Then select the next role from {agentlist} to speak. Return only its name.'

const NAME_CHOICE_RULES = `1. If the text says whom it speaks as ("As the ..."), it is that name.
2. If the text says who comes next ("next"), it is that name.
3. Otherwise it is the name that the text mentions first.
Upper and lower case count, and names are not shortened. Give no reasons.`

/** Question after an answer with several names. */
export const SELECT_SPEAKER_MULTIPLE_TEMPLATE: string = `Your answer names more than one speaker, and exactly one can be next. Return one name only, which you find by these rules, in this order:
${NAME_CHOICE_RULES}`

/** Question after an answer without a name. */
export const SELECT_SPEAKER_NONE_TEMPLATE: string = `Your answer names no speaker. Return one name only, which you find by these rules, in this order:
${NAME_CHOICE_RULES}
Only these names are accepted: {agentlist}`

/** First sentences of the introductions. */
const INTRODUCTIONS_GREETING =
  'Hello everyone. We have assembled a great team today to answer questions and solve tasks. In attendance are:'

/** Fills the placeholders `{roles}` and `{agentlist}` of a template; other braces stay as they are. */
export const fillPrompt = (template: string, agents: readonly Agent[]): string =>
  template.replaceAll(/\{roles\}|\{agentlist\}/gu, (match) =>
    match === '{roles}' ? rolesText(agents) : listText(agents.map(({ name }) => name)),
  )

/** Returns the text that introduces the members to each other. */
export const introductionsText = (agents: readonly Agent[]): string =>
  `${INTRODUCTIONS_GREETING}\n\n${rolesText(agents)}`

/** Returns one line for each agent: its name and its description. */
const rolesText = (agents: readonly Agent[]): string =>
  agents.map(({ name, description }) => `${name}: ${description.trim()}`.trim()).join('\n')

const listText = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`

/** Returns a warning for each agent without a description. */
export const emptyDescriptionWarnings = (agents: readonly Agent[]): string[] =>
  agents
    .filter(({ description }) => description.trim() === '')
    .map(
      ({ name }) => `the agent \`${name}\` has an empty description, so that no model can choose it for its abilities`,
    )
