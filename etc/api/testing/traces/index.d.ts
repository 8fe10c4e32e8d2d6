export { changesOf, type Change } from './changes.ts';
export { compare, type Difference } from './compare.ts';
export { describeDifferences } from './describe.ts';
export { facesOf } from './faces.ts';
export { readTrace } from './read-trace.ts';
export { replay } from './replay.ts';
export type { Facts, Given, Recorded, Result, Step, Then, Trace, TraceValue } from './trace.ts';
export type { AgentClass, ConfigOptions, Conversation, RatedNode, Reasoning, ToolDefinition, World, WrapperClass, WrapperOptions, } from './world.ts';
