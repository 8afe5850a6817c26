// What the source says of types and of what pointers point to, from full debug information, as tables for reports
// (runtime/hooks.h). LLVM-C 19 has no functions for that. instrument.h has the contracts.
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <llvm-c/Core.h>

#include <map>
#include <string>
#include <vector>

#include "runtime/hooks.h"

namespace
{
// Members of these are nobody's business: reports stop there.
const char *const objects[] = {"pthread_", "sem_t", "mtx_t", "cnd_t", "once_flag", "thrd_t", "tss_t"};
const char *const classes[] = {"mutex",     "recursive_mutex", "timed_mutex", "shared_mutex",       "shared_timed_mutex",
                               "once_flag", "thread",          "jthread",     "condition_variable", "condition_variable_any"};

// What a pointer points to: `offset` bytes behind the beginning of an object of type `type`, which the source can call `name`.
struct place {
    std::string name;
    const llvm::DIType *type = nullptr;
    int64_t offset = 0;
    bool fixed = true; // the offset is known
};

const llvm::DIType *strip(const llvm::DIType *type)
{
    while (auto *derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        switch (derived->getTag()) {
        case llvm::dwarf::DW_TAG_typedef:
        case llvm::dwarf::DW_TAG_const_type:
        case llvm::dwarf::DW_TAG_volatile_type:
        case llvm::dwarf::DW_TAG_restrict_type:
        case llvm::dwarf::DW_TAG_atomic_type:
            type = derived->getBaseType();
            break;
        default:
            return type;
        }
    }
    return type;
}

bool is_pointer(const llvm::DIType *type)
{
    auto *derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(strip(type));

    return derived && (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type ||
                       derived->getTag() == llvm::dwarf::DW_TAG_reference_type ||
                       derived->getTag() == llvm::dwarf::DW_TAG_rvalue_reference_type);
}

const llvm::DIType *pointee(const llvm::DIType *type)
{
    return is_pointer(type) ? llvm::cast<llvm::DIDerivedType>(strip(type))->getBaseType() : nullptr;
}

// The name of a type on the way that says that its inside is of no interest, or "".
std::string object_name(const llvm::DIType *type)
{
    for (; type; type = llvm::isa<llvm::DIDerivedType>(type) && !is_pointer(type)
                            ? llvm::cast<llvm::DIDerivedType>(type)->getBaseType()
                            : nullptr) {
        if (type->getTag() == llvm::dwarf::DW_TAG_typedef || type->getTag() == llvm::dwarf::DW_TAG_union_type)
            for (const char *name : objects)
                if (type->getName().starts_with(name))
                    return type->getName().str();
        if (type->getTag() == llvm::dwarf::DW_TAG_class_type && type->getScope() && type->getScope()->getName() == "std")
            for (const char *name : classes)
                if (type->getName() == name)
                    return "std::" + type->getName().str();
    }
    return "";
}

std::string qualified(const llvm::DIScope *scope, llvm::StringRef name)
{
    std::string text = name.str();

    for (; scope && (llvm::isa<llvm::DINamespace>(scope) || llvm::isa<llvm::DICompositeType>(scope)); scope = scope->getScope())
        if (!scope->getName().empty())
            text = scope->getName().str() + "::" + text;
    return text;
}

// std::atomic keeps its value in a base class, in a member of its own: as if it were the value.
const llvm::DIType *atomic_value(const llvm::DICompositeType *type)
{
    if (!type->getName().starts_with("atomic<") && !type->getName().starts_with("__atomic_base<") &&
        type->getName() != "atomic_flag" && type->getName() != "__atomic_flag_base")
        return nullptr;
    for (const llvm::DINode *element : type->getElements())
        if (auto *member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element)) {
            if (member->isStaticMember() || (member->getTag() != llvm::dwarf::DW_TAG_member &&
                                             member->getTag() != llvm::dwarf::DW_TAG_inheritance))
                continue;
            auto *base = llvm::dyn_cast_or_null<llvm::DICompositeType>(strip(member->getBaseType()));
            const llvm::DIType *inside = base ? atomic_value(base) : nullptr;

            return inside ? inside : member->getBaseType();
        }
    return nullptr;
}

class types
{
  public:
    explicit types(llvm::Module &of)
        : module(of), context(of.getContext()), pointer(llvm::PointerType::getUnqual(context)),
          i32(llvm::Type::getInt32Ty(context)), i64(llvm::Type::getInt64Ty(context)),
          none(llvm::ConstantPointerNull::get(pointer)),
          type_row(llvm::StructType::create(context, {pointer, i64, i32, i32, pointer}, "raddle_type"))
    {
        for (llvm::DICompileUnit *unit : of.debug_compile_units()) {
            full |= unit->getEmissionKind() == llvm::DICompileUnit::FullDebug;
            is_c |= !llvm::dwarf::isCPlusPlus((llvm::dwarf::SourceLanguage)unit->getSourceLanguage());
        }
    }

    bool full = false; // there is more than lines
    llvm::Module &module;
    llvm::LLVMContext &context;
    llvm::PointerType *pointer;
    llvm::Type *i32, *i64;
    llvm::Constant *none;

    llvm::Constant *text(const std::string &text)
    {
        auto [at, fresh] = texts.try_emplace(text, nullptr);

        if (text.empty())
            return none;
        if (fresh)
            at->second = constant(llvm::ConstantDataArray::getString(context, text), "__raddle_text");
        return at->second;
    }

    llvm::GlobalVariable *constant(llvm::Constant *initial, const char *name)
    {
        auto *made = new llvm::GlobalVariable(module, initial->getType(), true, llvm::GlobalValue::PrivateLinkage, initial, name);

        made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
        return made;
    }

    // The row of a type; made before its parts, which may lead back to it.
    llvm::Constant *row(const llvm::DIType *type)
    {
        if (!type)
            return none;
        auto [at, fresh] = rows.try_emplace(type, nullptr);
        if (fresh) {
            auto *made = new llvm::GlobalVariable(module, type_row, true, llvm::GlobalValue::PrivateLinkage,
                                                  llvm::Constant::getNullValue(type_row), "__raddle_type");
            at->second = made;
            made->setInitializer(fill(type));
        }
        return rows[type];
    }

    llvm::Constant *structure(std::vector<llvm::Constant *> fields)
    {
        return llvm::ConstantStruct::getAnon(context, fields);
    }

    llvm::Constant *list(const std::vector<llvm::Constant *> &parts, const char *name)
    {
        if (parts.empty())
            return none;
        return constant(llvm::ConstantArray::get(llvm::ArrayType::get(parts[0]->getType(), parts.size()), parts), name);
    }

    // A type of which nothing but the size is known.
    llvm::Constant *unknown(uint64_t bytes)
    {
        return constant(type_constant("", bytes, HOOK_TYPE_OTHER, 0, none), "__raddle_type");
    }

    // The row of a variable; it goes if the linker drops the variable.
    llvm::GlobalVariable *variable(llvm::GlobalVariable *global, const std::string &name, const std::string &where,
                                   llvm::Constant *type)
    {
        llvm::Constant *initial = structure({global, text(name), text(where), type});
        auto *made = new llvm::GlobalVariable(module, initial->getType(), true, llvm::GlobalValue::PrivateLinkage, initial,
                                              "__raddle_variable");

        made->setSection(HOOK_VARIABLES_SECTION);
        made->setAlignment(llvm::Align(8));
        made->setComdat(global->getComdat());
        made->setMetadata(llvm::LLVMContext::MD_associated,
                          llvm::MDNode::get(context, llvm::ValueAsMetadata::get(global)));
        return made;
    }

  private:
    bool is_c = false;
    llvm::StructType *type_row;
    std::map<std::string, llvm::Constant *> texts;
    std::map<const llvm::DIType *, llvm::Constant *> rows;

    llvm::Constant *type_constant(const std::string &name, uint64_t bytes, hook_type kind, uint64_t count, llvm::Constant *parts)
    {
        return llvm::ConstantStruct::get(type_row, {text(name), llvm::ConstantInt::get(i64, bytes),
                                                    llvm::ConstantInt::get(i32, kind),
                                                    llvm::ConstantInt::get(i32, count), parts});
    }

    llvm::Constant *fill(const llvm::DIType *type)
    {
        std::string opaque = object_name(type);
        const llvm::DIType *bare = strip(type);
        uint64_t bytes = bare ? bare->getSizeInBits() / 8 : 0;

        if (!opaque.empty())
            return type_constant(opaque, bytes, HOOK_TYPE_OBJECT, 0, none);
        if (is_pointer(type))
            return type_constant("", bytes, HOOK_TYPE_POINTER, 0, none);
        if (auto *basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(bare))
            return type_constant(basic->getName().str(), bytes, basic_kind(basic), 0, none);
        if (auto *composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(bare))
            return fill_composite(composite, type_name(type, composite));
        return type_constant("", bytes, HOOK_TYPE_OTHER, 0, none);
    }

    static hook_type basic_kind(const llvm::DIBasicType *type)
    {
        switch (type->getEncoding()) {
        case llvm::dwarf::DW_ATE_boolean:
            return HOOK_TYPE_BOOL;
        case llvm::dwarf::DW_ATE_float:
            return HOOK_TYPE_FLOAT;
        case llvm::dwarf::DW_ATE_unsigned:
        case llvm::dwarf::DW_ATE_unsigned_char:
            return HOOK_TYPE_UNSIGNED;
        case llvm::dwarf::DW_ATE_signed:
        case llvm::dwarf::DW_ATE_signed_char:
            return HOOK_TYPE_SIGNED;
        default:
            return HOOK_TYPE_OTHER;
        }
    }

    // "struct pool" in C; a struct without a tag is called by its typedef.
    std::string type_name(const llvm::DIType *type, const llvm::DICompositeType *composite)
    {
        std::string name = qualified(composite->getScope(), composite->getName());

        if (composite->getName().empty()) {
            for (; type != composite && type; type = llvm::cast<llvm::DIDerivedType>(type)->getBaseType())
                if (type->getTag() == llvm::dwarf::DW_TAG_typedef)
                    return type->getName().str();
            return "";
        }
        if (!is_c)
            return name;
        return (composite->getTag() == llvm::dwarf::DW_TAG_union_type         ? "union "
                : composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type ? "enum "
                                                                              : "struct ") +
               name;
    }

    llvm::Constant *fill_composite(const llvm::DICompositeType *type, const std::string &name)
    {
        uint64_t bytes = type->getSizeInBits() / 8;

        if (type->getTag() == llvm::dwarf::DW_TAG_array_type)
            return fill_array(type, 0);
        if (type->getTag() == llvm::dwarf::DW_TAG_enumeration_type)
            return fill_enumeration(type, name);
        if (const llvm::DIType *value = atomic_value(type))
            return fill(value);
        std::vector<llvm::Constant *> members;
        for (const llvm::DINode *element : type->getElements())
            if (auto *member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element))
                if (!member->isStaticMember() && (member->getTag() == llvm::dwarf::DW_TAG_member ||
                                                  member->getTag() == llvm::dwarf::DW_TAG_inheritance))
                    members.push_back(structure(
                        {text(member->getTag() == llvm::dwarf::DW_TAG_member ? member->getName().str() : ""),
                         llvm::ConstantInt::get(i64, member->getOffsetInBits() / 8),
                         row(member->getBaseType())}));
        return type_constant(name, bytes, HOOK_TYPE_STRUCT, members.size(), list(members, "__raddle_members"));
    }

    // From the first dimension on; an array of unknown length has 0 elements.
    llvm::Constant *fill_array(const llvm::DICompositeType *type, unsigned dimension)
    {
        llvm::DINodeArray ranges = type->getElements();
        uint64_t count = 0, bytes = 0;
        llvm::Constant *element;

        if (dimension < ranges.size())
            if (auto *range = llvm::dyn_cast<llvm::DISubrange>(ranges[dimension]))
                if (auto *number = llvm::dyn_cast_if_present<llvm::ConstantInt *>(range->getCount()))
                    count = number->getSExtValue() > 0 ? (uint64_t)number->getSExtValue() : 0;
        if (dimension + 1 < ranges.size()) {
            llvm::Constant *inner = fill_array(type, dimension + 1);

            bytes = llvm::cast<llvm::ConstantInt>(inner->getOperand(1))->getZExtValue();
            element = constant(inner, "__raddle_type");
        } else {
            const llvm::DIType *of = strip(type->getBaseType());

            bytes = of ? of->getSizeInBits() / 8 : 0;
            element = row(type->getBaseType());
        }
        return type_constant("", bytes * count, HOOK_TYPE_ARRAY, count, element);
    }

    llvm::Constant *fill_enumeration(const llvm::DICompositeType *type, const std::string &name)
    {
        std::vector<llvm::Constant *> enumerators;

        for (const llvm::DINode *element : type->getElements())
            if (auto *one = llvm::dyn_cast_or_null<llvm::DIEnumerator>(element))
                enumerators.push_back(structure({text(one->getName().str()),
                                                 llvm::ConstantInt::get(i64, one->getValue().getSExtValue(), true)}));
        return type_constant(name, type->getSizeInBits() / 8, HOOK_TYPE_ENUM, enumerators.size(),
                             list(enumerators, "__raddle_enumerators"));
    }
};

// ---- what the source calls it

// The variable that a value is, or whose memory it is.
const llvm::DILocalVariable *variable_of(llvm::Value *value)
{
    llvm::SmallVector<llvm::DbgVariableIntrinsic *, 4> users;

    if (!llvm::isa<llvm::Instruction>(value) && !llvm::isa<llvm::Argument>(value))
        return nullptr;
    if (llvm::isa<llvm::AllocaInst>(value)) /* when optimised, records of assignments know it */
        for (llvm::DbgAssignIntrinsic *assigned : llvm::at::getAssignmentMarkers(llvm::cast<llvm::Instruction>(value)))
            return assigned->getVariable();
    llvm::findDbgUsers(users, value);
    for (llvm::DbgVariableIntrinsic *user : users) {
        bool is_memory = llvm::isa<llvm::AllocaInst>(value);

        if (user->getExpression()->getNumElements() == 0 && user->getNumVariableLocationOps() == 1 &&
            user->getVariableLocationOp(0) == value && is_memory == llvm::isa<llvm::DbgDeclareInst>(user))
            return user->getVariable();
    }
    return nullptr;
}

const llvm::DIGlobalVariable *variable_of_global(const llvm::GlobalVariable *global)
{
    llvm::SmallVector<llvm::DIGlobalVariableExpression *, 1> found;

    global->getDebugInfo(found);
    return found.empty() ? nullptr : found[0]->getVariable();
}

bool is_inside(const llvm::DIType *type, int64_t offset)
{
    return type && offset >= 0 && (uint64_t)offset < type->getSizeInBits() / 8;
}

// The member of an object at that offset, with its name behind `name`; nothing if there is no such one.
const llvm::DIType *member_at(const llvm::DIType *type, int64_t offset, std::string &name, const char *dot)
{
    auto *composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(strip(type));

    if (!composite)
        return offset == 0 ? type : nullptr;
    if (atomic_value(composite))
        return offset == 0 ? atomic_value(composite) : nullptr;
    if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
        const llvm::DIType *element = strip(composite->getBaseType());
        uint64_t bytes = element ? element->getSizeInBits() / 8 : 0;

        if (!bytes || composite->getElements().size() != 1)
            return nullptr;
        name += "[" + std::to_string((uint64_t)offset / bytes) + "]";
        return member_at(composite->getBaseType(), (int64_t)((uint64_t)offset % bytes), name, ".");
    }
    for (const llvm::DINode *element : composite->getElements()) {
        auto *member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element);

        if (!member || member->isStaticMember() || !is_inside(strip(member->getBaseType()), offset - (int64_t)member->getOffsetInBits() / 8))
            continue;
        if (!member->getName().empty() && member->getTag() == llvm::dwarf::DW_TAG_member) {
            name += dot + member->getName().str();
            dot = ".";
        }
        return member_at(member->getBaseType(), offset - (int64_t)member->getOffsetInBits() / 8, name, dot);
    }
    return nullptr;
}

bool place_of(const llvm::DataLayout &layout, llvm::Value *at, place &found, unsigned depth);

// A pointer that was loaded: from a variable, or from a member of what another pointer points to.
bool place_of_loaded(const llvm::DataLayout &layout, llvm::LoadInst *load, place &found, unsigned depth)
{
    llvm::APInt offset(64, 0);
    llvm::Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    const llvm::DIType *type = nullptr;
    place from;
    const char *dot = ".";

    if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
        if (auto *variable = variable_of_global(global)) {
            found.name = variable->getName().str();
            type = variable->getType();
        }
    } else if (auto *variable = llvm::isa<llvm::AllocaInst>(base) ? variable_of(base) : nullptr) {
        found.name = variable->getName().str();
        type = variable->getType();
    } else if (place_of(layout, load->getPointerOperand(), from, depth + 1) && from.fixed) {
        found.name = from.name;
        type = from.type;
        offset = llvm::APInt(64, (uint64_t)from.offset, true);
        dot = "->";
    }
    if (!type || found.name.empty())
        return false;
    type = member_at(type, offset.getSExtValue(), found.name, dot);
    found.type = pointee(type);
    return found.type;
}

// Nothing of variables, which reports know by their address.
bool place_of(const llvm::DataLayout &layout, llvm::Value *at, place &found, unsigned depth)
{
    llvm::APInt offset(64, 0);

    if (depth > 4)
        return false;
    at = at->stripAndAccumulateConstantOffsets(layout, offset, true);
    found.offset = offset.getSExtValue();
    while (auto *element = llvm::dyn_cast<llvm::GEPOperator>(at)) { /* an index that only the run knows */
        llvm::APInt more(64, 0);

        found.fixed = false;
        at = element->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, more, true);
    }
    if (llvm::isa<llvm::AllocaInst>(at) || llvm::isa<llvm::GlobalValue>(at))
        return false;
    if (auto *variable = variable_of(at)) {
        found.name = variable->getName().str();
        found.type = pointee(variable->getType());
        if (found.type)
            return true;
    }
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(at))
        return place_of_loaded(layout, load, found, depth);
    return false;
}

// A pointer to void says nothing, nor does one to bytes.
bool says_something(const llvm::DIType *type)
{
    const llvm::DIType *bare = strip(type);
    auto *basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(bare);

    return bare && !(basic && basic->getSizeInBits() == 8);
}

llvm::Constant *object_row(types &all, const place &found)
{
    int64_t offset = found.fixed ? found.offset : HOOK_OFFSET_UNKNOWN;

    return all.structure({all.text(found.name), all.row(found.type), llvm::ConstantInt::get(all.i64, (uint64_t)offset, true)});
}

// What the result of a call is called: the variable or the member that it goes to.
bool place_of_result(const llvm::DataLayout &layout, llvm::Instruction *call, place &found)
{
    const llvm::DILocalVariable *variable = variable_of(call);

    if (variable)
        found.name = variable->getName().str();
    if (llvm::MDNode *made = call->getMetadata("heapallocsite")) /* by `new`: of that type */
        found.type = llvm::dyn_cast<llvm::DIType>(made);
    else if (variable)
        found.type = pointee(variable->getType());
    if (found.type)
        return true;
    for (llvm::User *user : call->users()) {
        auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
        llvm::APInt offset(64, 0);
        const llvm::DIType *type = nullptr;
        const char *dot = ".";
        place to;

        if (!store || store->getValueOperand() != call)
            continue;
        llvm::Value *base = store->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
        if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
            if (auto *of = variable_of_global(global)) {
                found.name = of->getName().str();
                type = of->getType();
            }
        } else if (auto *local = llvm::isa<llvm::AllocaInst>(base) ? variable_of(base) : nullptr) {
            found.name = local->getName().str();
            type = local->getType();
        } else if (place_of(layout, store->getPointerOperand(), to, 0) && to.fixed) {
            found.name = to.name;
            type = to.type;
            offset = llvm::APInt(64, (uint64_t)to.offset, true);
            dot = "->";
        }
        if (type)
            found.type = pointee(member_at(type, offset.getSExtValue(), found.name, dot));
        if (found.type)
            return true;
    }
    return false;
}
} // namespace

extern "C" void *types_open(LLVMModuleRef module)
{
    return new types(*llvm::unwrap(module));
}

extern "C" void types_close(void *opened)
{
    delete static_cast<types *>(opened);
}

extern "C" LLVMValueRef types_objects(void *opened, LLVMValueRef *pointers, unsigned count, unsigned *made)
{
    types &all = *static_cast<types *>(opened);
    std::vector<llvm::Constant *> rows;

    for (unsigned i = 0; i < count && all.full; i++) {
        place found;

        if (place_of(all.module.getDataLayout(), llvm::unwrap(pointers[i]), found, 0) && says_something(found.type))
            rows.push_back(object_row(all, found));
    }
    *made = (unsigned)rows.size();
    return llvm::wrap(all.list(rows, "__raddle_objects"));
}

extern "C" LLVMValueRef types_result(void *opened, LLVMValueRef call)
{
    types &all = *static_cast<types *>(opened);
    auto *instruction = llvm::unwrap<llvm::Instruction>(call);
    place found;

    if (!all.full || !instruction->getType()->isPointerTy() ||
        !place_of_result(all.module.getDataLayout(), instruction, found) || !says_something(found.type))
        return llvm::wrap(all.none);
    return llvm::wrap(all.list({object_row(all, found)}, "__raddle_result"));
}

extern "C" LLVMValueRef types_local(void *opened, LLVMValueRef local)
{
    types &all = *static_cast<types *>(opened);
    const llvm::DILocalVariable *variable = all.full && llvm::isa<llvm::AllocaInst>(llvm::unwrap(local))
                                                ? variable_of(llvm::unwrap(local))
                                                : nullptr;

    return llvm::wrap(variable ? all.row(variable->getType()) : all.none);
}

// Without full debug information: what the linker's name stands for, and how large it is.
static void add_demangled(types &all, llvm::SmallVectorImpl<llvm::GlobalValue *> &kept)
{
    std::vector<llvm::GlobalVariable *> variables;

    for (llvm::GlobalVariable &global : all.module.globals())
        if (!global.isDeclaration() && !global.isThreadLocal() && !global.hasAvailableExternallyLinkage() &&
            !global.isConstant() && global.getName().starts_with("_Z"))
            variables.push_back(&global);
    for (llvm::GlobalVariable *global : variables)
        kept.push_back(all.variable(global, llvm::demangle(global->getName()), "",
                                    all.unknown(all.module.getDataLayout().getTypeAllocSize(global->getValueType()))));
}

extern "C" void types_variables(void *opened)
{
    types &all = *static_cast<types *>(opened);
    std::vector<llvm::GlobalVariable *> variables;
    llvm::SmallVector<llvm::GlobalValue *, 16> kept;

    for (llvm::GlobalVariable &global : all.module.globals())
        if (all.full && !global.isDeclaration() && !global.isThreadLocal() && !global.hasAvailableExternallyLinkage() &&
            variable_of_global(&global))
            variables.push_back(&global);
    for (llvm::GlobalVariable *global : variables) {
        const llvm::DIGlobalVariable *variable = variable_of_global(global);
        const llvm::DIScope *scope = variable->getScope();
        const llvm::DISubprogram *function =
            scope && llvm::isa<llvm::DILocalScope>(scope) ? llvm::cast<llvm::DILocalScope>(scope)->getSubprogram() : nullptr;
        std::string where = function ? function->getName().str() : variable->getFilename().str();
        kept.push_back(all.variable(global, qualified(scope, variable->getName()),
                                    function ? where : where.substr(where.rfind('/') + 1), all.row(variable->getType())));
    }
    if (!all.full)
        add_demangled(all, kept);
    if (all.full && kept.empty()) { /* that there are rows says that there is debug information */
        llvm::Constant *initial = all.structure({all.none, all.none, all.text("-"), all.none});

        kept.push_back(new llvm::GlobalVariable(all.module, initial->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                                initial, "__raddle_variable"));
        llvm::cast<llvm::GlobalVariable>(kept[0])->setSection(HOOK_VARIABLES_SECTION);
        llvm::cast<llvm::GlobalVariable>(kept[0])->setAlignment(llvm::Align(8));
    }
    if (!kept.empty())
        llvm::appendToCompilerUsed(all.module, kept);
}
