export * from "@dagrejs/graphlib";
//# sourceMappingURL=type.d.ts.map