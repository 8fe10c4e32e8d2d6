import type { ModelAnswer, ModelEvent } from '@x/interfaces';
export declare function foldEvents(events: Iterable<ModelEvent>): ModelAnswer;
