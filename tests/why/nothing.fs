# Words that mean nothing in the block.
# status: 1
# rule: unknown: has no statement that makes z
x = rand(10);
begin y = x + 1; end
:why y z
