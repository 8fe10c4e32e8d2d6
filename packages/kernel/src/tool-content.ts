/** For tools that give more than text, and for whoever reads what they gave. */
export { contentText, partLine } from './content-parts.ts'
export { contentOfResult, isParts, toolContent } from './content-parts.ts'
