/* rule.h - the rules that keep calls apart, and their names. */
#ifndef FS_RULE_H
#define FS_RULE_H

/* What forbids or discards a fusion, an implementation or a combination. */
enum fs_rule {
  FS_RULE_NONE,
  FS_RULE_LEVEL,      /* a value is used before the kernel has it ready      */
  FS_RULE_CONVEX,     /* something outside lies between two members          */
  FS_RULE_SHAPE,      /* the index spaces do not agree                       */
  FS_RULE_ON_CHIP,    /* more than the chip, or a kernel, can hold           */
  FS_RULE_LIBRARY,    /* a library call is a kernel of its own               */
  FS_RULE_ROUTINE,    /* a user's routine has a scheme of its own, which only
                         maps by element and such routines share             */
  FS_RULE_BARRIER,    /* a `barrier` statement lies between                  */
  FS_RULE_ORDER,      /* strategy noreorder: another statement lies between  */
  FS_RULE_PIN,        /* `:split`, or a `:fuse` elsewhere                    */
  FS_RULE_APART,      /* they share no data: nothing would be saved          */
  FS_RULE_DOMINATED,  /* another implementation does the same in less        */
  FS_RULE_PRICE,      /* legal, but predicted to take longer                 */
  FS_RULE_LIMIT,      /* beyond the size of the search                       */
  FS_RULE_OFF,        /* fusing is off                                       */
  FS_RULE_COUNT
};
extern const char *const fs_rule_names[FS_RULE_COUNT]; /* "level", "convex" ... */

#endif
