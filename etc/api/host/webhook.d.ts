import type { ChatKind } from '@x/interfaces';
export interface Webhook {
    readonly url: string;
    readonly secret: string;
    readonly on?: readonly ('ended' | 'question')[] | undefined;
    readonly tenant?: string | undefined;
    readonly tag?: string | undefined;
    readonly content?: boolean | undefined;
    readonly timeout?: number | undefined;
}
export declare const WEBHOOK_PROGRAM = "webhook";
export declare function checkWebhooks(webhooks: Readonly<Record<string, Webhook>> | undefined, chats: readonly ChatKind[]): void;
export declare function postNotice({ url, secret, timeout }: Webhook, { id, body }: {
    readonly id: string;
    readonly body: string;
}, stop: AbortSignal | undefined): Promise<string>;
