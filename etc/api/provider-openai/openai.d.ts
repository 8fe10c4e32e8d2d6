import type { Provider } from '@x/interfaces';
import { type PriceTable } from '@x/provider-kit';
import { type ClientPlatform } from './client.ts';
export interface OpenAIOptions extends Partial<Omit<ClientPlatform, 'prices'>> {
    prices?: PriceTable | undefined;
}
export declare function createOpenAI(options?: OpenAIOptions): Provider;
export declare const openai: Provider;
