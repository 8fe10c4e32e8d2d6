import type { EventOrigin, ModelEvent, RunScope } from '@x/interfaces';
export type PlacedModelEvent = ModelEvent & EventOrigin & {
    agent: string | null;
};
export declare function streamScope(around: RunScope | undefined, agent: string | null): RunScope;
