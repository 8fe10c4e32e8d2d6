export { contentText, partLine } from './content-line.ts';
export { contentOfResult, isParts, toolContent } from './make-tool-content.ts';
