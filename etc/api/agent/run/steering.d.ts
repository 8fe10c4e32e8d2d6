import type { EventStream, SteeringSource } from '@x/interfaces';
export declare class Steering implements SteeringSource, Steerable {
    #private;
    steer(text: string): Promise<boolean>;
    get isEmpty(): boolean;
    take(): readonly {
        readonly text: string;
    }[];
    end(): void;
}
export interface Steerable {
    steer(text: string): Promise<boolean>;
}
export declare function steer(steering: SteeringSource | undefined, text: string): Promise<boolean>;
export declare function endSteering(steering: SteeringSource): void;
export declare function endSteeringOf({ result }: EventStream<unknown>, steering: SteeringSource): void;
