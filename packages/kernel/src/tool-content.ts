/** For tools that give more than text, and for whoever reads what they gave. */
export { contentText, partLine } from './content-line.ts'
export { contentOfResult, isParts, toolContent } from './make-tool-content.ts'
