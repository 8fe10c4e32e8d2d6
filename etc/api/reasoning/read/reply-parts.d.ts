export interface ThinkerReply {
    reflection: string;
    options: string[];
}
