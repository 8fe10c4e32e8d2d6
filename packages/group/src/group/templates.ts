import type { Agent } from '@x/interfaces'

/** System message of a model that chooses the next speaker. */
export const SELECT_SPEAKER_MESSAGE: string = `You run a role play with these roles:
{roles}

Read the conversation that follows. Then select the next role from {agentlist} to speak. Return only its name.`

/** Last message of the request to a model that chooses the next speaker. */
export const SELECT_SPEAKER_PROMPT: string =
  'Read the conversation above. Then select the next role from {agentlist} to speak. Return only its name.'

const RULES = `1. If the text says whom it speaks as ("As the ..."), it is that name.
2. If the text says who comes next ("next"), it is that name.
3. Otherwise it is the name that the text mentions first.
Upper and lower case count, and names are not shortened. Give no reasons.`

/** Question after an answer with several names. */
export const SELECT_SPEAKER_MULTIPLE: string = `Your answer names more than one speaker, and exactly one can be next. Return one name only, which you find by these rules, in this order:
${RULES}`

/** Question after an answer without a name. */
export const SELECT_SPEAKER_NONE: string = `Your answer names no speaker. Return one name only, which you find by these rules, in this order:
${RULES}
Only these names are accepted: {agentlist}`

/** First sentences of the introductions. */
const GREETING =
  'Hello everyone. We have assembled a great team today to answer questions and solve tasks. In attendance are:'

/** A text in which the placeholders `{roles}` and `{agentlist}` are filled; other braces stay as they are. */
export const fillPrompt = (template: string, agents: readonly Agent[]): string =>
  template.replaceAll(/\{roles\}|\{agentlist\}/gu, (match) =>
    match === '{roles}' ? rolesText(agents) : listText(agents.map(({ name }) => name)),
  )

/** Makes the text that tells the members of each other. */
export const introductionsText = (agents: readonly Agent[]): string => `${GREETING}\n\n${rolesText(agents)}`

/** One line for each agent: its name and what it is. */
const rolesText = (agents: readonly Agent[]): string =>
  agents.map(({ name, description }) => `${name}: ${description.trim()}`.trim()).join('\n')

const listText = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`

/** Warnings of agents that do not say what they are. */
export const emptyDescriptions = (agents: readonly Agent[]): string[] =>
  agents
    .filter(({ description }) => description.trim() === '')
    .map(({ name }) => `the agent \`${name}\` has an empty description, and nobody can choose it by what it does`)
