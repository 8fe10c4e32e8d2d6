import type { ActionToApprove } from '@x/interfaces'

/** Describes a pending action for the person who decides on it. */
export function actionText(action: ActionToApprove): string {
  if (action.type === 'toolCall') return `call ${action.name}(${JSON.stringify(action.arguments)})`
  const blocks = action.blocks.map(({ language, code }) => `\n[${language}]\n${code}`).join('\n')
  return `run this code:${blocks}\n`
}
