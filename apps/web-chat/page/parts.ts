/** What both pages have: the components of the page of runs, which are bundled into this one and are no part of a package. */

// @boundaries-ignore bundled
export { dollarsText, prettyJson } from '../../../packages/studio/page/format.ts'
// @boundaries-ignore bundled
export { Icon } from '../../../packages/studio/page/icons.tsx'
// @boundaries-ignore bundled
export { CodeBlock, RichText } from '../../../packages/studio/page/rich-text.tsx'
// @boundaries-ignore bundled
export { AgentName, CopyButton, Empty, OutcomeMark } from '../../../packages/studio/page/shared.tsx'
// @boundaries-ignore bundled
export { ThemeButton } from '../../../packages/studio/page/theme.tsx'
