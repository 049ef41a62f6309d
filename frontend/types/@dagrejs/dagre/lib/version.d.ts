export declare const version = "3.1.3";
//# sourceMappingURL=version.d.ts.map