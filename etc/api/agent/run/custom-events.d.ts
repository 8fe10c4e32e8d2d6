import type { EventBody, XEvent } from '@x/interfaces';
import { type InputOf, type OutputOf, type Parameters } from '../data/parameters.ts';
type CustomEvent = Extract<XEvent, {
    type: 'custom';
}>;
type CustomBody = Extract<EventBody, {
    type: 'custom';
}>;
interface DataByName {
    readonly given: object;
    readonly sent: object;
}
type NameOf<D extends DataByName> = keyof D['given'] & keyof D['sent'] & string;
type DataOf<D extends DataByName, N extends NameOf<D>> = D['sent'][N];
interface CustomEvents<D extends DataByName> {
    event<N extends NameOf<D>>(name: N, data: D['given'][N]): CustomBody & {
        name: N;
        data: DataOf<D, N>;
    };
    is<N extends NameOf<D>>(event: XEvent, name: N): event is CustomEvent & {
        name: N;
        data: DataOf<D, N>;
    };
    is(event: XEvent): event is {
        [N in NameOf<D>]: CustomEvent & {
            name: N;
            data: DataOf<D, N>;
        };
    }[NameOf<D>];
}
type Schemas = Readonly<Record<string, Parameters | null>>;
interface DataBySchema<S extends Schemas> {
    readonly given: {
        readonly [N in keyof S]: S[N] extends Parameters ? InputOf<S[N]> : unknown;
    };
    readonly sent: {
        readonly [N in keyof S]: S[N] extends Parameters ? OutputOf<S[N]> : unknown;
    };
}
export declare function customEvents<S extends Schemas>(schemas: S): CustomEvents<DataBySchema<S>>;
export declare function customEvents<D extends object>(): CustomEvents<{
    readonly given: D;
    readonly sent: D;
}>;
export {};
