import type { EventOptions, XEvent } from '@x/interfaces';
export declare function shapeEvent(event: XEvent, options: EventOptions | undefined): XEvent | null;
