export { contentText, partLine } from './content-parts.ts';
export { contentOfResult, isParts, toolContent } from './content-parts.ts';
