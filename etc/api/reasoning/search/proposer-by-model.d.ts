import type { Proposer } from './parts.ts';
export declare function proposerByModel(proposers: Readonly<Record<string, Proposer>>): Proposer;
