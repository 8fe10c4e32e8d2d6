import { type Slot } from '../config/slot.ts';
import type { WrapperRequest } from './check-request.ts';
export type RequestSettings = readonly Readonly<Record<string, unknown>>[];
export declare class SettingsReader {
    #private;
    constructor(slots: readonly Slot[]);
    of(request: WrapperRequest): RequestSettings;
}
