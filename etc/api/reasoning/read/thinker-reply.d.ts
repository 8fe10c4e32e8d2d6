export interface ThinkerReply {
    reflection: string;
    options: string[];
}
export declare function readThinkerReply(reply: string): ThinkerReply;
